// Everything works without this file; it saves a click or a reload where it can.
"use strict";

// The switch of the appearance is a link that asks the server; here it changes at once.
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function changeTheme(event) {
  event.preventDefault();
  const root = document.documentElement;
  const shown = root.dataset.bsTheme || (dark.matches ? "dark" : "light");
  const next = shown === "dark" ? "light" : "dark";
  const secure = location.protocol === "https:" ? "; Secure" : "";
  if ((next === "dark") === dark.matches) {
    // What the system has anyway need not be remembered, and goes on following the system.
    delete root.dataset.bsTheme;
    document.cookie = `theme=; Path=/; Max-Age=0; SameSite=Lax${secure}`;
  } else {
    root.dataset.bsTheme = next;
    document.cookie = `theme=${next}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  }
}

for (const link of document.querySelectorAll("[data-theme-switch]")) {
  link.addEventListener("click", changeTheme);
}

// Of tabs that do not fit, the one that is open should be seen.
for (const tab of document.querySelectorAll(".tabs [aria-current], .sections [aria-current]")) {
  const row = tab.parentElement;
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

// Buttons that copy a text appear only where copying works.
for (const button of document.querySelectorAll("button[data-copies]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent.trim());
    const words = button.textContent;
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = words; }, 2000);
  });
}
