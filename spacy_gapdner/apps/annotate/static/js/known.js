/** The other entities of a type, and the proposals of the model, as evidence for a reading. */

/** @typedef {import("./types.js").Range} Range */

export class Known {
  /**
   * @param {Record<string, number>} phrases of the type, with their numbers
   * @param {Range[][]} [proposed] fragments of the model's proposals in the coordination
   */
  constructor(phrases, proposed = []) {
    /** @type {Map<string, number>} */
    this.phrases = new Map();
    /** @type {Set<string>} */
    this.pairs = new Set();
    for (const [phrase, n] of Object.entries(phrases)) {
      const words = folded(phrase).split(" ");
      const name = words.join(" ");
      this.phrases.set(name, (this.phrases.get(name) ?? 0) + n);
      words.slice(1).forEach((word, i) => this.pairs.add(`${words[i]} ${word}`));
    }
    this.proposed = new Set(proposed.map((fragments) => JSON.stringify(fragments)));
  }

  /** @param {string} phrase @returns {number} */
  count(phrase) {
    return this.phrases.get(folded(phrase)) ?? 0;
  }

  /** @param {string} left @param {string} right @returns {boolean} whether an entity contains these two words */
  hasPair(left, right) {
    return this.pairs.has(folded(`${left} ${right}`));
  }

  /** @param {Range[][]} entities @returns {number} proposals among the entities, less the other proposals */
  agreement(entities) {
    const names = new Set(entities.map((fragments) => JSON.stringify(fragments)));
    return [...this.proposed].reduce((sum, name) => sum + (names.has(name) ? 1 : -1), 0);
  }
}

/** @param {string} phrase @returns {string} */
function folded(phrase) {
  return phrase.normalize("NFC").toLowerCase().trim().replace(/\s+/g, " ");
}
