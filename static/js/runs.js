// The pages of runs work without this file; it shows local times, counts down, drops files, and shows progress.
"use strict";

const language = document.documentElement.lang || "en";

// --- times ------------------------------------------------------------------------------------------

function showLocal(root) {
  // As the server writes the other times.
  const local = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
    day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
  });
  for (const place of root.querySelectorAll("[data-local]")) {
    // In Russian the year comes with a word that the other times do without.
    const written = local.format(new Date(place.dataset.local)).replace(/\s*г\./, "");
    place.textContent = `${written} (${place.dataset.words})`;
    place.hidden = false;
  }
}

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

function inWords(seconds) {
  const parts = [];
  let left = Math.max(0, Math.floor(seconds));
  for (const [unit, size] of UNITS) {
    const number = Math.floor(left / size);
    left -= number * size;
    if (number || parts.length || unit === "second") {
      parts.push(new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(number));
    }
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

function countDown(root) {
  for (const place of root.querySelectorAll("[data-countdown]")) {
    // The server's clock decides, so it is the server's clock that is counted on from.
    const ahead = new Date(place.dataset.now) - Date.now();
    const end = new Date(place.dataset.countdown);
    const tick = () => {
      if (!place.isConnected) return;
      const left = (end - Date.now() - ahead) / 1000;
      place.textContent = inWords(left);
      // A screen reader need not hear every second.
      place.setAttribute("aria-live", "off");
      if (left > 0) setTimeout(tick, left > 90000 ? 30000 : 1000);
    };
    tick();
  }
}

// --- sending a file ---------------------------------------------------------------------------------

function sizeInWords(bytes) {
  const [unit, of, unitDisplay] =
    bytes < 1e3 ? ["byte", 1, "long"] : bytes < 1e6 ? ["kilobyte", 1e3, "short"] : ["megabyte", 1e6, "short"];
  return new Intl.NumberFormat(language, { maximumFractionDigits: 1, style: "unit", unit, unitDisplay }).format(bytes / of);
}

function prepareUpload(form) {
  const zone = form.querySelector("[data-drop]");
  const input = zone.querySelector("input");
  const chosen = zone.querySelector("[data-chosen]");
  for (const hint of zone.querySelectorAll("[data-only-script]")) hint.hidden = false;

  const look = () => {
    const file = input.files[0];
    const tooLarge = file && file.size > Number(form.dataset.most);
    input.setCustomValidity(tooLarge ? form.dataset.tooLarge : "");
    chosen.classList.toggle("is-bad", Boolean(tooLarge));
    chosen.textContent = !file ? "" : tooLarge ? form.dataset.tooLarge : `${file.name}, ${sizeInWords(file.size)}`;
  };
  input.addEventListener("change", look);
  for (const kind of ["dragenter", "dragover"]) {
    zone.addEventListener(kind, (event) => { event.preventDefault(); zone.classList.add("is-over"); });
  }
  for (const kind of ["dragleave", "drop"]) {
    zone.addEventListener(kind, () => zone.classList.remove("is-over"));
  }
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    const one = new DataTransfer();
    one.items.add(event.dataTransfer.files[0]);
    input.files = one.files;
    look();
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
}

function send(form) {
  const progress = form.querySelector("[data-progress]");
  const bar = progress.querySelector("progress");
  const words = progress.querySelector("output");
  const button = form.querySelector("button[type=submit]");
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.upload.addEventListener("progress", (event) => {
    if (!event.lengthComputable) return;
    bar.value = event.loaded / event.total;
    words.textContent = `${form.dataset.sending} ${Math.round(100 * bar.value)} %`;
  });
  request.upload.addEventListener("load", () => {
    bar.removeAttribute("value");
    words.textContent = form.dataset.checking;
  });
  const idle = () => { button.disabled = false; progress.hidden = true; bar.value = 0; words.textContent = ""; };
  request.addEventListener("load", () => {
    idle();
    if (new URL(request.responseURL).pathname !== location.pathname) {
      // The request has followed to the run's page already; asked for once more, it would not greet again.
      history.pushState(null, "", request.responseURL);
      window.addEventListener("popstate", () => location.reload());
    }
    showAnswer(request.responseText);
  });
  request.addEventListener("error", () => {
    idle();
    const chosen = form.querySelector("[data-chosen]");
    chosen.classList.add("is-bad");
    chosen.textContent = form.dataset.broken;
  });
  button.disabled = true;
  progress.hidden = false;
  request.send(new FormData(form));
}

// What the server answers is a whole page; its words take the place of ours, and what was typed is in it.
function showAnswer(text) {
  const answered = new DOMParser().parseFromString(text, "text/html");
  const main = document.querySelector("main");
  main.replaceWith(document.adoptNode(answered.querySelector("main")));
  document.title = answered.title;
  enhance(document.querySelector("main"));
  const told = document.querySelector("[data-answer] [role=alert], main .has-fault .input, main .told, main h1");
  if (told) {
    if (!told.matches("input, textarea, select")) told.tabIndex = -1;
    told.focus();
    told.scrollIntoView({ block: "start" });
  }
}

// --- waiting for scores -----------------------------------------------------------------------------

const PATIENCE = [1500, 2000, 3000, 5000, 8000];

function waitForScores(root, tries = 0) {
  if (!root.querySelector("[data-poll]")) return;
  setTimeout(async () => {
    let answered = null;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) answered = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch { /* the next try may succeed */ }
    if (answered && !answered.querySelector("[data-poll]")) {
      document.querySelector("main").replaceWith(document.adoptNode(answered.querySelector("main")));
      enhance(document.querySelector("main"));
      return;
    }
    waitForScores(root, tries + 1);
  }, PATIENCE[Math.min(tries, PATIENCE.length - 1)]);
}

function enhance(root) {
  showLocal(root);
  countDown(root);
  for (const form of root.querySelectorAll("form[data-upload]")) prepareUpload(form);
  waitForScores(root);
}

enhance(document);
