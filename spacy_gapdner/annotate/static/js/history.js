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

  /** @returns {boolean} false if there is nothing to undo */
  undo() {
    return this.#step(this.past, this.future);
  }

  /** @returns {boolean} false if there is nothing to redo */
  redo() {
    return this.#step(this.future, this.past);
  }

  /** @param {T[]} from @param {T[]} to */
  #step(from, to) {
    const next = from.pop();
    if (next === undefined) return false;
    to.push(this.present);
    this.present = next;
    return true;
  }
}
