"use strict";
// Only the browser knows where lines break. This moves the entities of each line up to its words,
// keeps their labels inside the page, and repeats the type of an entity that continues on the next
// line, if there is enough space.
const pen = document.createElement("canvas").getContext("2d");
// pixels between a label and the next entity
const MARGIN = 6;

function labelWidth(cell, longest) {
  const style = getComputedStyle(cell, "::after");
  pen.font = style.font;
  return Math.min(pen.measureText(cell.dataset.label).width, longest);
}

// the parts of entities in each line, in the order of the entities
function readLines(block) {
  const lines = new Map();
  const last = new Map();
  for (const cell of block.querySelectorAll("i[data-again]")) delete cell.dataset.again;
  for (const cell of block.querySelectorAll("i[data-n]")) {
    const n = Number(cell.dataset.n);
    const { top, left, right } = cell.parentElement.getBoundingClientRect();
    let part = last.get(n);
    if (!part || Math.abs(top - part.top) > 2) {
      part = { n, top, left, right, cells: [], type: part ? part.type : cell.dataset.type, first: !part };
      last.set(n, part);
      const line = [...lines.keys()].find((other) => Math.abs(other - top) <= 2) ?? top;
      lines.set(line, [...(lines.get(line) ?? []), part]);
    }
    part.left = Math.min(part.left, left);
    part.right = Math.max(part.right, right);
    part.cells.push(cell);
  }
  return [...lines.values()].map((parts) => parts.sort((a, b) => a.n - b.n));
}

// widens a part by its label, which is moved if it would end outside the page
function addLabel(part, edges) {
  part.room = part.right - part.left;
  part.shift = 0;
  if (!part.first) return;
  const [cell] = part.cells;
  const width = labelWidth(cell, edges.width);
  if (getComputedStyle(cell).direction === "rtl") {
    part.shift = Math.max(edges.left - (part.right - width), 0);
    const right = part.right + part.shift;
    part.left = Math.min(part.left, right - width - MARGIN);
    part.right = right;
  } else {
    part.shift = Math.max(part.left + width - edges.right, 0);
    const left = part.left - part.shift;
    part.right = Math.max(part.right, left + width + MARGIN);
    part.left = left;
  }
}

function placeLine(parts) {
  const rows = [];
  for (const part of parts) {
    const isFree = (row) =>
      row.every((other) => part.right <= other.left + 1 || other.right <= part.left + 1);
    let number = rows.findIndex(isFree);
    if (number < 0) number = rows.push([]) - 1;
    rows[number].push(part);
    for (const cell of part.cells) cell.style.setProperty("--line-row", number + 2);
    const [cell] = part.cells;
    if (!part.first) cell.dataset.again = part.type;
    cell.style.setProperty("--room", `${part.room}px`);
    cell.style.setProperty("--shift", `${part.shift}px`);
  }
}

function labelLines() {
  for (const block of document.querySelectorAll(".entities")) {
    // blocks of other pages are hidden
    if (!block.getClientRects().length) continue;
    const edges = block.getBoundingClientRect();
    const lines = readLines(block);
    for (const part of lines.flat()) addLabel(part, edges);
    lines.forEach(placeLine);
  }
}
addEventListener("DOMContentLoaded", labelLines);
addEventListener("resize", () => requestAnimationFrame(labelLines));
