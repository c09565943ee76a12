// Judging works without this file, one page for each answer. With it the next pair is there already: it is shown
// at once, and the answer is sent meanwhile. What could not be sent is tried again until it is kept.
"use strict";

const QUIET = 400;
// So many milliseconds after something new is shown nothing is taken: nobody has read it, and the second half of
// a double click would land on it.

const PATIENCE = [1000, 2000, 4000, 8000, 15000];

class Desk {
  constructor(root) {
    this.root = root;
    this.form = root.querySelector("[data-form]");
    this.message = root.querySelector("[data-message]");
    this.waiting = []; // what was done and is not kept yet, the oldest first
    this.ahead = [...root.querySelectorAll("[data-next]")].map((each) => ({ id: Number(each.dataset.next), html: each.innerHTML }));
    this.sending = false;
    this.tries = 0;
    this.listen();
    if (this.form) this.present(Number(this.form.elements.judgment.value));
  }

  listen() {
    this.root.addEventListener("submit", (event) => this.submitted(event));
    document.addEventListener("keydown", (event) => this.pressed(event));
    document.addEventListener("visibilitychange", () => this.watchTime());
    window.addEventListener("beforeunload", (event) => { if (this.waiting.length) event.preventDefault(); });
    window.addEventListener("online", () => this.send());
  }

  // --- what a judge does ---------------------------------------------------------------------------------

  submitted(event) {
    const goesOn = event.target.action.endsWith(this.root.dataset.more);
    // At the end there is no frame to fill: the server's page does as well.
    if (!this.form || goesOn) return;
    event.preventDefault();
    if (event.target.id === "undo") this.undo();
    else if (event.submitter) this.answer(event.submitter.value);
  }

  pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.target.closest("input:not([data-fold]), textarea, select, [contenteditable]")) return;
    if (event.key === "m" || event.code === "KeyM") { this.unfold(); return; }
    const button = [...this.root.querySelectorAll("button[data-key]")].find((each) => {
      const key = each.dataset.key;
      // By its place too, so that S and U work on a Russian keyboard.
      return event.key === key || event.key.toLowerCase() === key || (/^[a-z]$/.test(key) && event.code === `Key${key.toUpperCase()}`);
    });
    if (!button || button.disabled) return;
    event.preventDefault();
    button.form.requestSubmit(button);
  }

  answer(value) {
    if (!this.shown || performance.now() < this.readyAt) return;
    const seconds = ((this.seen + (document.hidden ? 0 : performance.now() - this.since)) / 1000).toFixed(2);
    this.waiting.push({ to: this.root.dataset.answers, id: this.shown, fields: { judgment: this.shown, answer: value, seconds } });
    this.say("");
    const next = this.ahead.shift();
    if (next) this.show(next);
    else this.pause();
    this.send();
  }

  undo() {
    if (this.waiting.some((each) => each.undoes)) return;
    this.waiting.push({ to: this.root.dataset.undo, undoes: true, fields: {} });
    this.say("");
    this.pause();
    this.send();
  }

  unfold() {
    const folds = [...this.root.querySelectorAll(".unit [data-fold]")];
    const open = folds.some((each) => !each.checked);
    for (const each of folds) each.checked = open;
  }

  // --- what is shown -------------------------------------------------------------------------------------

  show(unit) {
    const place = this.root.querySelector("[data-unit]");
    const open = place.querySelector("[data-conversation]")?.open;
    const question = place.querySelector(".question")?.textContent;
    place.innerHTML = unit.html;
    place.dataset.unit = unit.id;
    // Of the same question the conversation stays as the judge left it.
    const conversation = place.querySelector("[data-conversation]");
    if (conversation && open !== undefined && place.querySelector(".question")?.textContent === question) conversation.open = open;
    this.form.elements.judgment.value = unit.id;
    this.root.classList.remove("is-waiting");
    if (window.scrollY > place.getBoundingClientRect().top + window.scrollY) place.scrollIntoView({ block: "start" });
    place.querySelector("[data-focus]").focus({ preventScroll: true });
    this.present(unit.id);
  }

  present(id) {
    this.shown = id;
    this.seen = 0;
    this.since = performance.now();
    this.readyAt = performance.now() + QUIET;
    delete this.root.dataset.ready;
    setTimeout(() => { if (this.shown === id) this.root.dataset.ready = String(id); }, QUIET);
    for (const text of this.root.querySelectorAll(".unit .passage-text")) {
      const folded = text.scrollHeight > text.clientHeight + 2;
      text.closest(".passage").classList.toggle("is-whole", !folded);
    }
  }

  pause() {
    this.shown = null;
    delete this.root.dataset.ready;
    this.root.classList.add("is-waiting");
  }

  watchTime() {
    const now = performance.now();
    if (document.hidden) this.seen += now - this.since;
    this.since = now;
  }

  say(words) {
    this.message.textContent = words;
    this.message.hidden = !words;
  }

  // --- what is sent --------------------------------------------------------------------------------------

  async send() {
    if (this.sending || !this.waiting.length) return;
    this.sending = true;
    clearTimeout(this.later);
    this.later = null;
    const [first] = this.waiting;
    try {
      const answered = await this.post(first);
      if (answered) {
        this.waiting.shift();
        this.tries = 0;
        this.settle(answered);
      }
    } catch {
      this.again(PATIENCE[Math.min(this.tries, PATIENCE.length - 1)], this.root.dataset.unsaved);
    }
    this.sending = false;
    if (this.waiting.length && !this.later) this.send();
  }

  again(wait, words) {
    this.tries += 1;
    this.say(words);
    this.later = setTimeout(() => { this.later = null; this.send(); }, wait);
  }

  // What the server says; nothing where it is to be asked again later.
  async post(action) {
    const body = new URLSearchParams({ ...action.fields, csrf_token: this.form.elements.csrf_token.value });
    const answer = await fetch(action.to, { method: "POST", body, headers: { Accept: "application/json" }, keepalive: true });
    if (answer.status === 429) {
      this.again(1000 * Number(answer.headers.get("Retry-After") || 5), this.root.dataset.slowly);
      return null;
    }
    if (answer.status >= 500) throw new Error("the server is busy");
    if (answer.ok && answer.headers.get("Content-Type")?.includes("json")) return answer.json();
    await this.renew(answer);
    return null;
  }

  // The form of this page is no longer good, as after signing in or out elsewhere. A new page has a new one.
  async renew(answer) {
    const page = answer.status === 400 && !this.renewed ? await fetch(location.href) : null;
    const form = page?.ok ? new DOMParser().parseFromString(await page.text(), "text/html").querySelector("#undo") : null;
    if (!form) {
      this.waiting = [];
      location.reload();
      return;
    }
    this.renewed = true;
    for (const each of this.root.querySelectorAll("[name=csrf_token]")) each.value = form.elements.csrf_token.value;
  }

  settle(answered) {
    this.root.querySelector("[data-head]").innerHTML = answered.head;
    this.renewed = false;
    this.say(answered.message || "");
    const undo = this.root.querySelector("[form=undo]");
    if (undo) undo.disabled = false;
    const sent = new Set(this.waiting.map((each) => each.id));
    const units = answered.units.filter((each) => !sent.has(each.id));
    if (this.waiting.some((each) => each.undoes)) return;
    const here = units.findIndex((each) => each.id === this.shown);
    if (this.shown && here >= 0) this.ahead = units.filter((each) => each.id !== this.shown);
    else if (units.length) {
      this.ahead = units.slice(1);
      this.show(units[0]);
    } else if (!this.waiting.length) this.end(answered.end);
  }

  end(html) {
    const place = document.createElement("div");
    place.innerHTML = html || "";
    this.form.replaceWith(...place.childNodes);
    this.form = null;
    this.shown = null;
    this.root.classList.remove("is-waiting");
    delete this.root.dataset.ready;
    this.root.querySelector("[data-focus]")?.focus();
  }
}

const desk = document.querySelector("[data-desk]");
if (desk) new Desk(desk);
