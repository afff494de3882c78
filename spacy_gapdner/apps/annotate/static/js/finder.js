/** Finds words in the open text. */

import { find } from "./dom.js";

/** @typedef {import("./types.js").Range} Range */

export class Finder {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.bar = find("find-bar", HTMLElement);
    this.query = find("find-words", HTMLInputElement);
    this.query.addEventListener("input", () => this.#go(0));
    this.query.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#go(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") this.close();
      else return;
      event.preventDefault();
    });
    find("find-next", HTMLElement).addEventListener("click", () => this.#go(1));
    find("find-close", HTMLElement).addEventListener("click", () => this.close());
  }

  open() {
    this.bar.hidden = false;
    this.query.select();
  }

  /** The found words stay selected. */
  close() {
    this.bar.hidden = true;
    this.app.focusText();
    this.app.showCursor();
  }

  /** @returns {Range[]} */
  #hits() {
    return findWords(this.app.session.text, this.query.value);
  }

  /** @param {0 | 1 | -1} step 0 for the next hit, which can be the current one */
  #go(step) {
    const { cursor } = this.app.session;
    const hits = this.#hits();
    const at = cursor.range[0];
    let i = step < 0 ? hits.findLastIndex(([start]) => start < at) : hits.findIndex(([start]) => start > at - Number(!step));
    if (i < 0) i = step < 0 ? hits.length - 1 : 0;
    find("find-count", HTMLElement).textContent = hits.length ? `${i + 1} of ${hits.length}` : "No hits";
    if (!hits.length) return;
    // like a selection by keyboard
    cursor.go(hits[i], true);
    cursor.anchor = hits[i];
    // a selection would take the keys from the input
    this.app.view.showCursor(hits[i], true);
  }
}

/**
 * @param {string} text
 * @param {string} query
 * @returns {Range[]} where the text contains the words, in any case and with any white space
 */
export function findWords(text, query) {
  const words = query.trim().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  return [...text.matchAll(new RegExp(pattern, "giu"))].map((match) => [match.index, match.index + match[0].length]);
}
