/** Unlimited undo and redo. */

/** @template T */
export class History {
  /** @param {T} present */
  constructor(present) {
    this.present = present;
    /** @type {T[]} */
    this.past = [];
    /** @type {T[]} */
    this.future = [];
  }

  /** @param {T} next */
  push(next) {
    this.past.push(this.present);
    this.present = next;
    this.future = [];
  }

  /** @param {"undo" | "redo"} step @returns {boolean} false if there is nothing to undo or redo */
  travel(step) {
    const [from, to] = step === "undo" ? [this.past, this.future] : [this.future, this.past];
    const next = from.pop();
    if (next === undefined) return false;
    to.push(this.present);
    this.present = next;
    return true;
  }
}
