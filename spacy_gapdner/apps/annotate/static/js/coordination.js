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
// attached to the next word, except in words such as "pain", "weight", "edema" and "function"
const ATTACHED =
  "(?<=\\s)و(?=\\p{Script=Arabic}{3})" +
  "(?!الد(?:ة|ت?ه|تها?|تي|ي|ها|ين)?(?!\\p{L})|باء|تر|جع|جه|خز|ذم|راث|رم|رك|ريد|زن|سط|صف|صول|ضع|ظائف|ظيف|عائ|عي|فاة|قاي|قت|لاد|هن)";
// "i.v." and "e.g." contain no coordinator
const NO_LETTER = "(?![\\p{L}\\p{M}\\p{N}]|\\.(?:\\S|$|\\s\\p{L}\\.))";
const AFTER_NO_LETTER = "(?<![\\p{L}\\p{M}\\p{N}.])";
// "mg/dl" and "s/p", but not "CT/MRI", "I/II" and "and/or"
const UNIT = `(?!(?:${BOTH_FORMS})${NO_LETTER}|\\p{Lu}{2}|[IVX]+${NO_LETTER})[µ\\p{Script=Latin}]{1,2}`;
const SLASH = `(?:(?<=\\s)/|/(?=\\s)|(?<!${AFTER_NO_LETTER}(?<!-)${UNIT})/(?!${UNIT}${NO_LETTER}(?!-)))`;
// slashes and commas between digits are part of a number
const SEPARATOR = new RegExp(
  `(?:\\s*(?:[;&+،؛、，]|(?:(?<!\\d)|(?=.(?!\\d)))(?:,|${SLASH})|${BETWEEN_LETTERS}|${ATTACHED}|` +
    `${AFTER_NO_LETTER}(?:${BOTH_FORMS})${NO_LETTER})\\s*)+`,
  "gu",
);

/**
 * @param {Range} range
 * @param {string} text
 * @returns {Range[]} the parts between commas, slashes and coordinators
 */
export function parts([start, end], text) {
  return split(text.slice(start, end)).map(([from, to]) => [start + from, start + to]);
}

/** @param {string} words @returns {Range[]} their parts between commas, slashes and coordinators */
export function split(words) {
  /** @type {Range[]} */
  const found = [];
  let start = 0;
  for (const match of words.matchAll(SEPARATOR)) {
    found.push([start, match.index]);
    start = match.index + match[0].length;
  }
  found.push([start, words.length]);
  return found.map((part) => trimmed(part, words)).filter(([from, to]) => from < to);
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
