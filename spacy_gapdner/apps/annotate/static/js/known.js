/** The other entities of a type, and the proposals of the model, as evidence for a reading. */

/** @typedef {import("./types.js").Range} Range */
/** @typedef {{all: number, first: number, last: number}} Places in entities, at their start, and at their end */

// unknown words are treated like words with the same ending
const SMOOTHING = 3;
const NOWHERE = { all: 0, first: 0, last: 0 };

export class Known {
  /**
   * @param {Record<string, number>} phrases of the type, with their numbers
   * @param {Range[][]} [proposed] fragments of the model's proposals in the coordination
   */
  constructor(phrases, proposed = []) {
    /** @type {Map<string, number>} */
    this.phrases = new Map();
    /** @type {Map<string, number>} in different entities */
    this.pairs = new Map();
    /** @type {Map<string, Places>} of words, endings of words, and all words */
    this.places = new Map();
    this.add(phrases);
    this.proposed = new Set(proposed.map((fragments) => JSON.stringify(fragments)));
  }

  /** @param {Record<string, number>} phrases @param {1 | -1} sign -1 to remove them */
  add(phrases, sign = 1) {
    for (const [phrase, n] of Object.entries(phrases)) {
      const name = folded(phrase);
      const before = this.count(name);
      this.phrases.set(name, before + sign * n);
      const change = Number(this.count(name) > 0) - Number(before > 0);
      if (change) this.addWords(name.split(" "), change);
    }
  }

  /** @param {string[]} words of an entity @param {number} change */
  addWords(words, change) {
    words.forEach((word, i) => {
      const pair = `${words[i - 1]} ${word}`;
      if (i) this.pairs.set(pair, (this.pairs.get(pair) ?? 0) + change);
      for (const key of placeKeys(word)) {
        const place = this.places.get(key) ?? { ...NOWHERE };
        place.all += change;
        if (!i) place.first += change;
        if (i === words.length - 1) place.last += change;
        this.places.set(key, place);
      }
    });
  }

  /** @param {string} phrase @returns {number} */
  count(phrase) {
    return this.phrases.get(folded(phrase)) ?? 0;
  }

  /** @param {string} word @returns {boolean} whether an entity contains it */
  hasWord(word) {
    return (this.places.get(folded(word)) ?? NOWHERE).all > 0;
  }

  /** @param {string} left @param {string} right @returns {number} entities that contain these two words */
  countPair(left, right) {
    return this.pairs.get(folded(`${left} ${right}`)) ?? 0;
  }

  /** @param {string} word @param {"first" | "last"} side @returns {number} the logarithm of how often it is the first or last word */
  logShare(word, side) {
    let share = 0.5;
    for (const key of placeKeys(folded(word))) {
      const { all, [side]: n } = this.places.get(key) ?? NOWHERE;
      share = (n + SMOOTHING * share) / (all + SMOOTHING);
    }
    return Math.log(share);
  }

  /** @param {Range[][]} entities @returns {number} proposals among the entities, less the other proposals */
  agreement(entities) {
    const names = new Set(entities.map((fragments) => JSON.stringify(fragments)));
    return [...this.proposed].reduce((sum, name) => sum + (names.has(name) ? 1 : -1), 0);
  }
}

/** @param {string} word @returns {string[]} from all words to this word */
const placeKeys = (word) => ["", `-${word.slice(-3)}`, word];

/** @param {string} phrase @returns {string} */
function folded(phrase) {
  return phrase.normalize("NFC").toLowerCase().trim().replace(/\s+/g, " ");
}
