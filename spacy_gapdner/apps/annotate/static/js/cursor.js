/** The word cursor, and the words or characters that are selected with it. */

import { indexAt } from "./blocks.js";

/** @typedef {import("./types.js").Range} Range */

// a letter with its marks is one character
const SEGMENTER = new Intl.Segmenter();

export class Cursor {
  /** @param {string} text @param {Range[]} tokens */
  constructor(text, tokens) {
    this.text = text;
    this.tokens = tokens;
    this.characters = SEGMENTER.segment(text);
    /** @type {Range} where the selection starts */
    this.anchor = tokens[0] ?? [0, 0];
    /** @type {Range} where the cursor is */
    this.head = this.anchor;
    this.isMarking = false;
    /** whether it was moved with keys, so that commands can use its word */
    this.isMoved = false;
  }

  /** @returns {Range} the selection, or the word at the cursor */
  get range() {
    return union(this.anchor, this.head);
  }

  /** @param {number} offset @returns {Range} the token at the offset */
  tokenAt(offset) {
    return this.tokens[indexAt(this.tokens, offset)] ?? [0, 0];
  }

  /** @param {Range} head @param {boolean} [marks] whether to extend the selection */
  go(head, marks = false) {
    this.head = head;
    if (!marks) this.anchor = head;
    this.isMarking = marks;
    this.isMoved = false;
  }

  /** @param {1 | -1} step @param {boolean} marks */
  byWord(step, marks) {
    const i = indexAt(this.tokens, this.head[0]);
    const token = this.tokens[i];
    // the text only contains whitespace
    if (!token) return;
    // from inside a word, first to its edge
    const isWithin = step > 0 ? this.head[1] < token[1] : token[0] < this.head[0];
    /** @type {Range} */
    const rest = step > 0 ? [this.head[0], token[1]] : [token[0], this.head[1]];
    this.go(isWithin && marks ? rest : (this.tokens[i + step] ?? token), marks);
  }

  /** @param {1 | -1} step @param {boolean} marks */
  byCharacter(step, marks) {
    const [start, end] = this.head;
    const first = this.#character(start);
    const isWhole = first[1] < end;
    let next = first;
    if (isWhole && marks && step < 0) next = this.#character(this.#character(end - 1)[0] - 1);
    else if (!isWhole) next = this.#character(step > 0 ? end : start - 1);
    if (next[0] === next[1]) return;
    // shorten a selected word at its end
    if (isWhole && marks) this.anchor = first;
    this.go(next, marks);
    if (!marks) this.isMarking = true;
  }

  /** @param {number} offset @returns {Range} the character at the offset; empty outside the text */
  #character(offset) {
    const found = this.characters.containing(offset);
    return found ? [found.index, found.index + found.segment.length] : [offset, offset];
  }
}

/** @param {Range} a @param {Range} b @returns {Range} */
export function union(a, b) {
  return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
}
