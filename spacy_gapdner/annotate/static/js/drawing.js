/**
 * Draws a block with its entities under the words, like `gapdner draw`: fragments as bars and gaps as
 * dots, in as few rows as possible.
 */

import { columnsOf, indexAt } from "./blocks.js";
import { directionsOf } from "./directions.js";
import { make } from "./dom.js";
import { extent, inOrder } from "./mentions.js";

/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./blocks.js").Block} Block */
/**
 * @typedef {object} Bar
 * @property {number} key
 * @property {string} label
 * @property {string} note text after the label: a score or a source
 * @property {Range[]} fragments
 * @property {string} text
 * @property {string} style the CSS class of its color
 * @property {boolean} isProposal
 * @property {boolean} isSelected
 * @property {boolean} isWarned
 */
/** @typedef {{kind: string, bar: Bar | null, isLabeled?: boolean}} Cell without a bar, it is under a label */

const pen = /** @type {CanvasRenderingContext2D} */ (make("canvas", {}).getContext("2d"));
// as in style.css
const LABEL = { font: "600 11.2px system-ui, sans-serif", maxWidth: 144, space: 6 };

/** @param {string} text @param {string} font @returns {number} */
function widthOf(text, font) {
  pen.font = font;
  return pen.measureText(text).width;
}

/**
 * @param {HTMLElement} element its content is replaced
 * @param {Block} block
 * @param {string} text
 * @param {Bar[]} bars bars that overlap the block
 * @param {"ltr" | "rtl"} main direction of the text
 */
export function drawBlock(element, block, text, bars, main) {
  const columns = columnsOf(
    block,
    bars.flatMap((bar) => bar.fragments),
  );
  const words = columns.map(([start], i) => text.slice(start, columns[i + 1]?.[0] ?? block.end));
  const rows = cellsOf(columns, words, bars, getComputedStyle(element).font);
  const { direction, words: directions } = directionsOf(words, main);
  element.replaceChildren();
  element.dir = direction;
  const indent = text.slice(block.start, columns[0][0]);
  if (indent) element.append(make("span", { className: "indent" }, indent));
  let run = element;
  let group = element;
  columns.forEach((column, i) => {
    if (directions[i] !== (directions[i - 1] ?? direction)) {
      run = element;
      if (directions[i] !== direction) element.append((run = make("span", { dir: directions[i] })));
    }
    if (!isGlued(columns, words, i)) {
      group = run;
      if (isGlued(columns, words, i + 1))
        run.append((group = make("span", { className: "glued" })));
    }
    group.append(drawWord(column, words[i], rows[i]));
  });
}

/**
 * @param {Range[]} columns
 * @param {string[]} words
 * @param {number} i
 * @returns {boolean} whether there is no line break before it: punctuation, or a word after a bracket
 */
function isGlued(columns, words, i) {
  return (
    i > 0 &&
    i < words.length &&
    columns[i - 1][1] === columns[i][0] &&
    (/^[^\p{L}\p{N}]{1,3}\s*$/u.test(words[i]) || /^\p{Ps}$/u.test(words[i - 1]))
  );
}

/**
 * @param {Range[]} columns
 * @param {string[]} words
 * @param {Bar[]} bars
 * @param {string} font of the words
 * @returns {Cell[][]} the cells under each column, by row
 */
function cellsOf(columns, words, bars, font) {
  /** @type {Cell[][]} */
  const under = columns.map(() => []);
  for (const bar of bars) {
    const [start, end] = extent(bar);
    const touched = columns
      .map((c, i) => (c[0] < end && start < c[1] ? i : -1))
      .filter((i) => i >= 0);
    if (!touched.length) continue;
    const fragments = inOrder(bar.fragments);
    // the label is shown once in a block, and extends over the next words
    const first = touched.find((i) => fragments.some((f) => columns[i][0] < f[1] && f[0] < columns[i][1])) ?? touched[0];
    const labeled = [];
    const label = [bar.isWarned ? "⚠" : "", bar.label, bar.note].filter(Boolean).join(" ");
    let room = Math.min(widthOf(label, LABEL.font), LABEL.maxWidth) + LABEL.space;
    for (let i = first; i < columns.length && room > 0; i += 1) {
      labeled.push(i);
      room -= widthOf(words[i], font);
    }
    let row = 0;
    while ([...touched, ...labeled].some((i) => under[i][row])) row += 1;
    for (const i of labeled) under[i][row] = { kind: "", bar: null };
    for (const i of touched) under[i][row] = { kind: "gap", bar };
    for (const [from, to] of fragments) {
      const own = touched.filter((i) => columns[i][0] < to && from < columns[i][1]);
      for (const i of own) under[i][row].kind = "fragment";
      const last = own.at(-1);
      if (last !== undefined && columns[last][1] === to) under[last][row].kind = "fragment last";
    }
    under[first][row].isLabeled = true;
  }
  return under;
}

/** @param {Range} column @param {string} word @param {Cell[]} cells @returns {HTMLElement} */
function drawWord([start, end], word, cells) {
  const element = make("span", { className: "word" }, word);
  element.dataset.start = String(start);
  element.dataset.end = String(end);
  for (let row = 0; row < cells.length; row += 1) {
    const cell = cells[row];
    element.append(cell?.bar ? drawBar(cell.bar, cell) : make("i", {}));
    if (cell?.bar?.isSelected && cell.kind !== "gap")
      element.classList.add("selected", cell.bar.style);
  }
  return element;
}

/** @param {Bar} bar @param {Cell} cell @returns {HTMLElement} */
function drawBar(bar, { kind, isLabeled }) {
  const element = make("i", {
    className: `${kind} ${bar.style}`,
    title: `${bar.label}: ${bar.text}`,
  });
  element.classList.toggle("proposal", bar.isProposal);
  element.classList.toggle("chosen", bar.isSelected);
  element.dataset.key = String(bar.key);
  if (isLabeled) {
    const warning = bar.isWarned ? [make("span", { className: "warning" }, "⚠ ")] : [];
    const note = bar.note ? [make("small", {}, ` ${bar.note}`)] : [];
    element.append(make("b", { dir: "auto" }, ...warning, bar.label, ...note));
  }
  return element;
}

/**
 * Break lines before words whose labels would extend beyond the edge of a block.
 * @param {HTMLElement} element
 */
export function fitLabels(element) {
  for (const old of element.querySelectorAll("br")) old.remove();
  for (const label of element.querySelectorAll("b")) {
    const box = element.getBoundingClientRect();
    const { left, right } = label.getBoundingClientRect();
    const word = label.closest(".glued") ?? label.closest(".word");
    if (left < box.left || right > box.right) word?.before(make("br", {}));
  }
}

/**
 * @param {Block[]} blocks
 * @param {Bar[]} bars
 * @returns {Bar[][]} the bars that overlap each block, in order
 */
export function barsOf(blocks, bars) {
  const ranges = blocks.map((block) => /** @type {Range} */ ([block.start, block.end]));
  /** @type {Bar[][]} */
  const result = blocks.map(() => []);
  for (const bar of bars) {
    const [start, end] = extent(bar);
    for (let i = indexAt(ranges, start); i < blocks.length && blocks[i].start < end; i += 1) {
      if (start < blocks[i].end) result[i].push(bar);
    }
  }
  return result;
}
