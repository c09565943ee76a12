// Keeps what is on the dashboard up to date. Without this, reloading the page does.
"use strict";

for (const region of document.querySelectorAll("[data-live]")) {
  const every = Number(region.dataset.every) * 1000;

  const say = (which) => {
    const words = region.querySelector("[data-live-words]");
    if (words) words.textContent = words.dataset[which];
  };

  const bring = async () => {
    // Nothing is pulled away from under somebody who reads with the keyboard, or does not look at all.
    if (document.hidden || region.contains(document.activeElement)) return;
    try {
      const answer = await fetch(region.dataset.live, { headers: { Accept: "text/html" } });
      if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      region.replaceChildren(...fresh.body.childNodes);
      say("running");
    } catch {
      say("stopped");
    }
  };

  say("running");
  setInterval(bring, every);
}
