/** The text on the page: its blocks, words and selection. */

import { barsOf, drawBlock } from "./drawing.js";
import { make } from "./dom.js";
import { arrangeLines } from "./lines.js";

/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./blocks.js").Block} Block */

export class TextView {
  /** @param {HTMLElement} container */
  constructor(container) {
    this.container = container;
    this.text = "";
    /** @type {Block[]} */
    this.blocks = [];
    /** @type {HTMLElement[]} */
    this.elements = [];
    /** @type {string[]} the drawn content of each block */
    this.drawn = [];
    /** @type {"ltr" | "rtl"} */
    this.direction = "ltr";
    /** @type {Element | null} */
    this.cursor = null;
    new ResizeObserver(() => arrangeLines(this.elements)).observe(container);
  }

  /** @param {string} text @param {Block[]} blocks @param {"ltr" | "rtl"} direction */
  show(text, blocks, direction) {
    this.text = text;
    this.blocks = blocks;
    this.direction = direction;
    this.drawn = [];
    this.cursor = null;
    this.elements = blocks.map(({ isParagraph }) =>
      make("p", { className: isParagraph ? "block paragraph" : "block" }),
    );
    this.container.replaceChildren(...this.elements);
    this.container.scrollTop = 0;
  }

  /** Draw the blocks that changed. @param {import("./drawing.js").Bar[]} bars */
  draw(bars) {
    const changed = barsOf(this.blocks, bars).flatMap((own, i) => {
      const key = JSON.stringify(own);
      if (this.drawn[i] === key) return [];
      this.drawn[i] = key;
      drawBlock(this.elements[i], this.blocks[i], this.text, own, this.direction);
      return [this.elements[i]];
    });
    // after drawing, because it needs the layout
    arrangeLines(changed);
  }

  /** Show that an entity was changed. @param {number} key */
  flash(key) {
    for (const part of this.container.querySelectorAll(`i[data-key="${key}"]`))
      part.animate({ backgroundColor: ["var(--accent)", "var(--accent)", "transparent"] }, 700);
  }

  /** @param {number} offset @returns {number} index of the block, or 0 before the first */
  blockAt(offset) {
    return Math.max(this.blocks.findLastIndex(({ start }) => start <= offset), 0);
  }

  /** @param {number} offset @returns {HTMLElement | null} the word at the offset */
  wordAt(offset) {
    const words = this.#words(this.blockAt(offset));
    return words.findLast((word) => startOf(word) <= offset) ?? words[0] ?? null;
  }

  /** @param {number} i @returns {HTMLElement[]} */
  #words(i) {
    return [...(this.elements[i]?.querySelectorAll(".word") ?? [])].map(
      (e) => /** @type {HTMLElement} */ (e),
    );
  }

  /** @param {Range} range @param {boolean} scrolls */
  showCursor(range, scrolls) {
    this.cursor?.classList.remove("cursor");
    this.cursor = this.wordAt(range[0]);
    this.cursor?.classList.add("cursor");
    if (scrolls) this.cursor?.scrollIntoView({ block: "nearest" });
  }

  /** Show a selection of the browser. @param {Range | null} range */
  mark(range) {
    const selection = getSelection();
    const [from, to] = range ? [this.#place(range[0], false), this.#place(range[1], true)] : [];
    if (from && to) selection?.setBaseAndExtent(...from, ...to);
    else selection?.removeAllRanges();
  }

  /** @returns {Range | null} the selection of the browser, e.g. by touch */
  selection() {
    const range = getSelection()?.rangeCount ? getSelection()?.getRangeAt(0) : null;
    if (!range || range.collapsed) return null;
    const from = offsetOf(range.startContainer, range.startOffset, this.container);
    const to = offsetOf(range.endContainer, range.endOffset, this.container);
    return from !== null && to !== null && from < to ? [from, to] : null;
  }

  /** @param {number} offset @returns {string} the direction of the sentence at the offset */
  directionAt(offset) {
    return this.elements[this.blockAt(offset)]?.dir ?? this.direction;
  }

  /** @param {number} offset @param {boolean} isEnd @returns {[Node, number] | null} */
  #place(offset, isEnd) {
    const word = this.wordAt(isEnd ? offset - 1 : offset);
    const node = word?.firstChild;
    return word && node
      ? [node, Math.min(offset - startOf(word), node.textContent?.length ?? 0)]
      : null;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {{word: HTMLElement, offset: number, key: number | null} | null} the word, the
   *     offset and the key of the entity at a point
   */
  at(x, y) {
    const hit = document.elementFromPoint(x, y);
    const caret = caretAt(x, y);
    const word = hit?.closest(".word") ?? caret?.node.parentElement?.closest(".word");
    if (!(word instanceof HTMLElement) || !this.container.contains(word)) return null;
    const inText = caret && caret.node === word.firstChild;
    const key = hit?.closest("i")?.dataset.key;
    return {
      word,
      offset: startOf(word) + (inText ? caret.offset : 0),
      key: key ? Number(key) : null,
    };
  }

  /**
   * @param {number} offset
   * @param {1 | -1} step
   * @returns {number | null} the start of the word in the next or previous line
   */
  onNextLine(offset, step) {
    const word = this.wordAt(offset);
    if (!word) return null;
    const from = word.getBoundingClientRect();
    const middle = (from.left + from.right) / 2;
    let line = null;
    let best = null;
    let least = Infinity;
    for (const other of this.#wordsFrom(this.blockAt(offset), word, step)) {
      const { top, left, right } = other.getBoundingClientRect();
      if (Math.abs(top - from.top) < 2) continue;
      line ??= top;
      if (Math.abs(top - line) >= 2) break;
      const distance = Math.abs((left + right) / 2 - middle);
      if (distance < least) [least, best] = [distance, startOf(other)];
    }
    return best;
  }

  /**
   * @param {number} offset
   * @param {1 | -1} step
   * @returns {number | null} the start of the first or last word in the line
   */
  onEdge(offset, step) {
    const word = this.wordAt(offset);
    if (!word) return null;
    const { top } = word.getBoundingClientRect();
    let last = word;
    for (const other of this.#wordsFrom(this.blockAt(offset), word, step)) {
      if (Math.abs(other.getBoundingClientRect().top - top) >= 2) break;
      last = other;
    }
    return startOf(last);
  }

  /**
   * @param {number} offset
   * @param {1 | -1} step
   * @returns {number} the start of a word that is a page below or above
   */
  onNextPage(offset, step) {
    const height = this.container.clientHeight * 0.9;
    let found = offset;
    let passed = 0;
    // line by line, because the heights of blocks that were never visible are unknown
    for (let next = this.onNextLine(found, step); next !== null && passed < height; ) {
      const [from, to] = [this.wordAt(found), this.wordAt(next)];
      passed += Math.abs((to?.getBoundingClientRect().top ?? 0) - (from?.getBoundingClientRect().top ?? 0));
      found = next;
      next = this.onNextLine(found, step);
    }
    return found;
  }

  /** @param {number} block @param {HTMLElement} word @param {1 | -1} step */
  *#wordsFrom(block, word, step) {
    for (let i = block; i >= 0 && i < this.blocks.length; i += step) {
      let words = this.#words(i);
      if (step < 0) words.reverse();
      if (i === block) words = words.slice(words.indexOf(word) + 1);
      yield* words;
    }
  }
}

/** @param {HTMLElement} word @returns {number} */
function startOf(word) {
  return Number(word.dataset.start);
}

/** @param {Node} node @param {number} offset @param {Element} container @returns {number | null} */
function offsetOf(node, offset, container) {
  const word = node.parentElement?.closest(".word");
  if (!(word instanceof HTMLElement) || !container.contains(word)) return null;
  return node === word.firstChild ? startOf(word) + offset : Number(word.dataset.end);
}

/** @param {number} x @param {number} y @returns {{node: Node, offset: number} | null} */
function caretAt(x, y) {
  if ("caretPositionFromPoint" in document) {
    const caret = document.caretPositionFromPoint(x, y);
    return caret && { node: caret.offsetNode, offset: caret.offset };
  }
  // older Chrome and Safari
  const range = /** @type {any} */ (document).caretRangeFromPoint(x, y);
  return range && { node: range.startContainer, offset: range.startOffset };
}
