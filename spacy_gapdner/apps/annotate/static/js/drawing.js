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
/**
 * @typedef {object} Cell a part of a bar
 * @property {number} n index of the bar
 * @property {"gap" | "fragment" | "fragment last"} kind
 * @property {Bar} bar
 * @property {boolean} isLabeled
 */

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
  const cells = cellsOf(columns, bars);
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
    group.append(drawWord(column, words[i], cells[i]));
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

/** @param {Range[]} columns @param {Bar[]} bars @returns {Cell[][]} the cells under each column, in the order of the bars */
function cellsOf(columns, bars) {
  /** @type {Cell[][]} */
  const under = columns.map(() => []);
  bars.forEach((bar, n) => {
    const [start, end] = extent(bar);
    const fragments = inOrder(bar.fragments);
    /** @type {Cell[]} */
    const cells = [];
    columns.forEach(([from, to], i) => {
      if (to <= start || end <= from) return;
      const own = fragments.find((f) => from < f[1] && f[0] < to);
      const kind = own ? (own[1] === to ? "fragment last" : "fragment") : "gap";
      cells.push({ n, kind, bar, isLabeled: false });
      under[i].push(cells[cells.length - 1]);
    });
    // the label is shown once in a block
    const first = cells.find(({ kind }) => kind !== "gap") ?? cells[0];
    if (first) first.isLabeled = true;
  });
  return under;
}

/** @param {Range} column @param {string} word @param {Cell[]} cells @returns {HTMLElement} */
function drawWord([start, end], word, cells) {
  const element = make("span", { className: "word" }, word);
  element.dataset.start = String(start);
  element.dataset.end = String(end);
  for (const cell of cells) {
    element.append(drawCell(cell));
    if (cell.bar.isSelected && cell.kind.startsWith("fragment"))
      element.classList.add("selected", cell.bar.style);
  }
  return element;
}

/** @param {Cell} cell @returns {HTMLElement} */
function drawCell({ n, kind, bar, isLabeled }) {
  const element = make("i", {});
  element.dataset.n = String(n);
  element.className = `${kind} ${bar.style}`;
  element.title = `${bar.label}: ${bar.text}`;
  element.classList.toggle("proposal", bar.isProposal);
  element.classList.toggle("chosen", bar.isSelected);
  element.dataset.key = String(bar.key);
  element.dataset.type = bar.label;
  if (isLabeled) {
    const warning = bar.isWarned ? [make("span", { className: "warning" }, "⚠ ")] : [];
    const note = bar.note ? [make("small", {}, ` ${bar.note}`)] : [];
    element.append(make("b", { dir: "auto" }, ...warning, bar.label, ...note));
  }
  return element;
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
