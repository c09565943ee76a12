// Sorting a ranking, and showing or leaving out lines, without losing the place on the page. The links work by
// themselves; where this fails in any way, the browser follows them.
"use strict";

const REGION = "[data-board]";

async function show(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(answer.statusText);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const region = fresh.querySelector(REGION);
  if (!region) throw new Error("no ranking");
  document.querySelector(REGION).replaceWith(document.adoptNode(region));
  document.title = fresh.title;
  // Other languages and appearances are links to this very state.
  const links = fresh.querySelectorAll(".top-tools a");
  document.querySelectorAll(".top-tools a").forEach((link, number) => {
    if (links[number]) link.href = links[number].getAttribute("href");
  });
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest(`${REGION} a`);
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || event.defaultPrevented || link.hasAttribute("download")) return;
  if (link.origin !== location.origin || link.pathname !== location.pathname) return;
  event.preventDefault();
  const address = link.href;
  const number = [...document.querySelectorAll(`${REGION} a`)].indexOf(link);
  try {
    await show(address);
  } catch {
    location.assign(address);
    return;
  }
  history.pushState(null, "", address);
  // The keyboard stays where it was: on the same link, as it is now.
  const same = document.querySelectorAll(`${REGION} a`)[number];
  if (same) same.focus({ preventScroll: true });
});

window.addEventListener("popstate", () => {
  show(location.href).catch(() => location.reload());
});
