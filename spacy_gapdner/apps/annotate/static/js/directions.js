/**
 * Writing directions of words. Browsers order letters, but not columns, so English words in an
 * Arabic sentence need an element of their own.
 */

/** @typedef {"ltr" | "rtl"} Direction */

// the blocks of scripts that are written from right to left, as in Unicode's DerivedBidiClass.txt
const RIGHT =
  /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** @param {string} text @returns {Direction | null} the direction of the first letter; null for numbers and punctuation */
export function directionOf(text) {
  for (const character of text) {
    if (/[\p{L}\u200f]/u.test(character)) return RIGHT.test(character) ? "rtl" : "ltr";
  }
  return null;
}

/**
 * @param {string[]} words
 * @param {Direction} main the direction if no word has letters
 * @returns {{direction: Direction, words: Direction[]}} the direction of the block and of each word
 */
export function directionsOf(words, main) {
  const owns = words.map(directionOf);
  const first = owns.find((direction) => direction) ?? main;
  // punctuation and numbers between words of the same direction have this direction
  /** @type {Direction[]} */
  const next = [];
  let after = first;
  for (let i = words.length - 1; i >= 0; i -= 1) next[i] = after = owns[i] ?? after;
  /** @type {Direction} */
  let before = first;
  const directions = owns.map((direction, i) => {
    const chosen = direction || next[i] === before ? next[i] : first;
    before = direction ?? before;
    return chosen;
  });
  return { direction: first, words: directions };
}
