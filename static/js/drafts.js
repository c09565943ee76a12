// The page of a draft works without this file, by reloading; it moves the bar while runs are being scored.
"use strict";

const EVERY = 1500;

function filled(words, numbers) {
  const format = new Intl.NumberFormat(document.documentElement.lang || "en");
  return words.replace(/\{(\w+)\}/g, (_, name) => format.format(numbers[name]));
}

function watch(box) {
  const bar = box.querySelector("progress");
  const words = box.querySelector("output");
  box.querySelector("[data-reload]").hidden = true;
  const look = async () => {
    try {
      const answer = await fetch(box.dataset.progress, { headers: { Accept: "application/json" } });
      if (answer.ok) {
        const now = await answer.json();
        if (now.state !== box.dataset.state || !now.working) {
          location.reload();
          return;
        }
        if (now.total) {
          bar.max = now.total;
          bar.value = now.done;
          words.textContent = filled(words.dataset.words, now);
        }
      }
    } catch { /* the next try may succeed */ }
    setTimeout(look, EVERY);
  };
  setTimeout(look, EVERY);
}

for (const box of document.querySelectorAll("[data-progress]")) watch(box);
