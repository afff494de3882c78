"use strict";
// Repeats the type of an entity that continues on the next line, if there is enough space.
function labelLines() {
  for (const block of document.querySelectorAll(".entities")) {
    const parts = new Map();
    for (const cell of block.querySelectorAll("i[data-n]")) {
      delete cell.dataset.again;
      const { n, type } = cell.dataset;
      const { top, left, right } = cell.getBoundingClientRect();
      let part = parts.get(n);
      if (!part || Math.abs(top - part.top) > 2) {
        if (part) cell.dataset.again = part.type;
        part = { cell, top, left, right, type: part ? part.type : type };
        parts.set(n, part);
      }
      part.left = Math.min(part.left, left);
      part.right = Math.max(part.right, right);
      part.cell.style.setProperty("--room", `${part.right - part.left}px`);
    }
  }
}
addEventListener("DOMContentLoaded", labelLines);
addEventListener("resize", () => requestAnimationFrame(labelLines));
