/** Splits coordinations: "joint, shoulder and back" and "pain" become three entities. */

import { joined, trimmed } from "./mentions.js";

/** @typedef {import("./types.js").Range} Range */

// without words that have another meaning in one of these languages: "of", "en", "a"
const WORDS =
  "and or und oder sowie bzw et ou y e o u ni och eller og samt ja tai sekä i oraz lub albo nebo " +
  "и или та або și sau és vagy ve veya un vai και ή và hoặc و أو או और या तथा";
const COORDINATORS = ["as well as", "ainsi que", ...WORDS.split(" ")].join("|");
const BOTH_FORMS = `${COORDINATORS}|${COORDINATORS.normalize("NFD")}`;
// of languages without spaces, except in words such as "saturation", "mild" and "neutralize"
const BETWEEN_LETTERS =
  "以及|(?<![饱飽温溫緩缓違中昭令调調柔總总共])和|或者?|および|または|และ|หรือ";
// slashes and commas between digits are part of a number
const SEPARATOR = new RegExp(
  `(?:\\s*(?:[;&،؛、，]|(?<!\\d)[,/]|[,/](?!\\d)|${BETWEEN_LETTERS}|` +
    `(?<![\\p{L}\\p{M}\\p{N}])(?:${BOTH_FORMS})(?![\\p{L}\\p{M}\\p{N}]))\\s*)+`,
  "gu",
);

/**
 * @param {Range} range
 * @param {string} text
 * @returns {Range[]} the parts between commas, slashes and coordinators
 */
export function parts(range, text) {
  const [first, last] = range;
  /** @type {Range[]} */
  const found = [];
  let start = first;
  for (const match of text.slice(first, last).matchAll(SEPARATOR)) {
    found.push([start, first + match.index]);
    start = first + match.index + match[0].length;
  }
  found.push([start, last]);
  return found.map((part) => trimmed(part, text)).filter(([a, b]) => a < b);
}

/**
 * @param {Range} range
 * @param {string} text
 * @returns {{range: Range, isLikely: boolean}[]} the first and the last word of a coordination, which
 *     all parts may share; likely if a part has fewer words
 */
export function shareable(range, text) {
  const all = parts(range, text);
  const sizes = all.map(([start, end]) => text.slice(start, end).split(/\s+/).length);
  const least = Math.min(...sizes);
  const [first, last] = [all[0], all[all.length - 1]];
  /** @type {[number, Range][]} */
  const words = [
    [sizes[0], [first[0], first[0] + text.slice(...first).search(/\s|$/)]],
    [sizes[sizes.length - 1], [last[0] + text.slice(...last).search(/\S+$/), last[1]]],
  ];
  return words
    .filter(([size]) => all.length > 1 && size > 1)
    .map(([size, word]) => ({ range: word, isLikely: size > least }));
}

/**
 * Combine each part of a fragment with each part of the others.
 * @param {Range[]} fragments
 * @param {string} text
 * @returns {Range[][]} the fragments of each entity; a single entity if there is nothing to split
 */
export function combinations(fragments, text) {
  /** @type {Range[][]} */
  let all = [[]];
  for (const fragment of fragments) {
    const choices = parts(fragment, text);
    all = all.flatMap((chosen) => choices.map((choice) => [...chosen, choice]));
  }
  return all.map((chosen) => joined(chosen, text));
}
