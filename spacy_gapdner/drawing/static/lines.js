/**
 * Arranges the bars of entities after line breaks, which only the browser knows: moves the bars of each
 * line up to its words, keeps their labels inside the block, shows equal labels of a coordination once,
 * and repeats the type of an entity that continues on the next line, if there is enough space. All pages
 * with bars use it. Each word is an element, and contains an `<i data-n="number of the entity">` for each
 * bar under it, with the class `gap` or `fragment`. One of these bars has the label: a `<b>` inside, or a
 * text in `data-label` that the style sheet shows.
 */

/**
 * @typedef {object} Part the part of an entity on a line
 * @property {number} n
 * @property {number} top
 * @property {number} left
 * @property {number} right
 * @property {HTMLElement[]} cells
 * @property {string | undefined} again its type, if the entity starts on an earlier line
 * @property {number} room
 * @property {number} shift how far the label is moved into the block
 */
/**
 * @typedef {object} Labeled an entity with a label
 * @property {string} label
 * @property {unknown[]} words the words with its bars
 * @property {Set<unknown>} own the words of its fragments
 */

const pen = document.createElement("canvas").getContext("2d");
// pixels between a label and the next entity
const MARGIN = 6;

/** @param {Iterable<HTMLElement>} blocks */
export function arrangeLines(blocks) {
  // blocks of other pages are hidden
  const visible = [...blocks].filter((block) => block.getClientRects().length);
  for (const cell of visible.flatMap((block) => [...block.querySelectorAll("i[data-again]")]))
    cell.removeAttribute("data-again");
  visible.forEach(markRepeated);
  // all positions are read before bars are moved, because the browser would compute them again
  visible.flatMap(readLines).forEach(placeLine);
}

/** Mark the entities whose label another one shows. @param {HTMLElement} block */
function markRepeated(block) {
  /** @type {HTMLElement[][]} */
  const byNumber = [];
  for (const cell of block.querySelectorAll("i")) (byNumber[Number(cell.dataset.n)] ??= []).push(cell);
  // numbers can be missing
  const entities = byNumber.filter(Boolean);
  const repeated = findRepeated(entities.map(readLabel));
  entities.forEach((cells, i) => {
    for (const cell of cells) cell.toggleAttribute("data-repeated", repeated[i]);
  });
}

/** @param {HTMLElement[]} cells of an entity @returns {Labeled} */
function readLabel(cells) {
  const fragments = cells.filter((cell) => cell.classList.contains("fragment"));
  const label = cells.map((cell) => cell.dataset.label ?? cell.textContent).join("");
  return {
    // a faded label is for faded entities only
    label: cells[0].classList.contains("off") ? `off ${label}` : label,
    words: cells.map((cell) => cell.parentElement),
    own: new Set(fragments.map((cell) => cell.parentElement)),
  };
}

/** @param {Labeled[]} entities @returns {boolean[]} whether the bar above belongs to the same coordination, and has an equal label */
export function findRepeated(entities) {
  /** @type {Map<unknown, number>} */
  const lastAt = new Map();
  return entities.map(({ label, words, own }, i) => {
    const above = entities[Math.max(...words.map((word) => lastAt.get(word) ?? -1))];
    for (const word of words) lastAt.set(word, i);
    if (label !== above?.label) return false;
    const hasGap = own.size < words.length || above.own.size < above.words.length;
    return hasGap && words.some((word) => own.has(word) && above.own.has(word));
  });
}

/** @param {HTMLElement} block @returns {Part[][]} the parts of entities in each line, in the order of the entities */
function readLines(block) {
  /** @type {Map<number, Part[]>} */
  const lines = new Map();
  /** @type {Map<number, Part>} */
  const last = new Map();
  const edges = block.getBoundingClientRect();
  for (const cell of block.querySelectorAll("i")) {
    const n = Number(cell.dataset.n);
    const { top, left, right } = /** @type {Element} */ (cell.parentElement).getBoundingClientRect();
    let part = last.get(n);
    if (!part || Math.abs(top - part.top) > 2) {
      const isRepeated = cell.hasAttribute("data-repeated");
      const again = part && !isRepeated ? part.again ?? part.cells[0].dataset.type : undefined;
      part = { n, top, left, right, cells: [], again, room: 0, shift: 0 };
      last.set(n, part);
      const line = [...lines.keys()].find((other) => Math.abs(other - top) <= 2) ?? top;
      lines.set(line, [...(lines.get(line) ?? []), part]);
    }
    part.left = Math.min(part.left, left);
    part.right = Math.max(part.right, right);
    part.cells.push(cell);
  }
  for (const part of [...lines.values()].flat()) addLabel(part, edges);
  return [...lines.values()].map((parts) => parts.sort((a, b) => a.n - b.n));
}

/** Widen a part by its label, which is moved if it would end outside the block. @param {Part} part @param {DOMRect} edges */
function addLabel(part, edges) {
  part.room = part.right - part.left;
  const cell = part.cells.find((cell) => cell.firstChild || cell.dataset.label);
  if (!cell || cell.hasAttribute("data-repeated")) return;
  const width = Math.min(labelWidth(cell), edges.width);
  // the label starts at its cell
  const { left: start, right: end } = /** @type {Element} */ (cell.parentElement).getBoundingClientRect();
  if (getComputedStyle(cell).direction === "rtl") {
    part.shift = Math.max(edges.left - (end - width), 0);
    part.left = Math.min(part.left, end + part.shift - width - MARGIN);
    part.right = Math.max(part.right, end + part.shift);
  } else {
    part.shift = Math.max(start + width - edges.right, 0);
    part.left = Math.min(part.left, start - part.shift);
    part.right = Math.max(part.right, start - part.shift + width + MARGIN);
  }
}

/** @param {HTMLElement} cell @returns {number} */
function labelWidth(cell) {
  if (cell.firstElementChild) return cell.firstElementChild.getBoundingClientRect().width;
  if (!pen) return 0;
  pen.font = getComputedStyle(cell, "::after").font;
  return pen.measureText(cell.dataset.label ?? "").width;
}

/** Put each part in the first free row. @param {Part[]} parts of a line */
function placeLine(parts) {
  /** @type {Part[][]} */
  const rows = [];
  for (const part of parts) {
    /** @param {Part[]} row */
    const isFree = (row) =>
      row.every((other) => part.right <= other.left + 1 || other.right <= part.left + 1);
    let number = rows.findIndex(isFree);
    if (number < 0) number = rows.push([]) - 1;
    rows[number].push(part);
    for (const { style } of part.cells) {
      // the words are in the first row
      style.setProperty("--line-row", String(number + 2));
      style.setProperty("--room", `${part.room}px`);
      style.setProperty("--shift", `${part.shift}px`);
    }
    if (part.again) part.cells[0].dataset.again = part.again;
  }
}
