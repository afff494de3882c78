/**
 * In which direction words run. Browsers order letters, but not columns: English within Arabic needs
 * a run of its own.
 */

/** @typedef {"ltr" | "rtl"} Direction */

const RIGHT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\u200f]/u;

/** @param {string} text @returns {Direction | null} of its first letter; null for numbers and marks */
export function directionOf(text) {
  for (const character of text) {
    if (/[\p{L}\u200f]/u.test(character)) return RIGHT.test(character) ? "rtl" : "ltr";
  }
  return null;
}

/**
 * @param {string[]} words
 * @param {Direction} main of words without letters, if there are no others
 * @returns {{direction: Direction, words: Direction[]}} that of all, and those of the words
 */
export function directionsOf(words, main) {
  const owns = words.map(directionOf);
  const first = owns.find((direction) => direction) ?? main;
  // marks and numbers go with the words on both sides
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
