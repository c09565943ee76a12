// The pages of organisers work without this file; it ticks all boxes of a table at once.
"use strict";

for (const form of document.querySelectorAll("form[data-ticks]")) {
  const all = form.querySelector("[data-tick-all]");
  const boxes = [...form.querySelectorAll("tbody input[type=checkbox]")];
  const look = () => {
    const ticked = boxes.filter((box) => box.checked).length;
    all.checked = ticked === boxes.length;
    all.indeterminate = ticked > 0 && ticked < boxes.length;
  };
  all.hidden = false;
  all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; });
  for (const box of boxes) box.addEventListener("change", look);
  look();
}
