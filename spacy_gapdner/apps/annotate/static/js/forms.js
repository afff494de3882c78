/** Divides a coordination into parts, and the parts into words, in the ways that parentheses, hyphens and articles allow. */

import { split } from "./coordination.js";

/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./known.js").Known} Known */
/**
 * @typedef {object} Form how a coordination is divided
 * @property {string} name
 * @property {Range[][]} parts the words of each part
 * @property {Range[][]} aside the words in parentheses, if they are entities of their own
 * @property {Traits} traits
 */
/**
 * @typedef {object} Traits
 * @property {number} merged coordinators that do not separate parts
 * @property {number} cut how unusually words are divided
 * @property {number} stripped whether later parts begin without an article or a repeated preposition
 * @property {number} articles whether all articles are left out
 * @property {number} crossed whether there are two coordinations: "joint or back pain and swelling"
 * @property {number} partial whether a part does not share the words: "hepatitis B, C and HIV serologies"
 */

// the number of readings grows with the square of the number of parts
export const MOST_PARTS = 7;
const ARTICLE = /^(?:an?|the|der|die|das|eine?|les?|la|une?|el|los|las|una)$/iu;
export const FUNCTION_WORD =
  /^(?:of|in|on|to|for|with|without|by|from|at|the|an?|that|within|during|after|before|under|than|per|about|against|into|von|vo[mn]|der|die|das|de[mnrs]|mit|ohne|bei[m]?|zur?|zum|nach|für|im|am|auf|du|de[ls]?|la|les?|à|aux?|avec|sans|pour|en|par|el|los|las|con|sin|por|para|di|da|del[la]?)$/iu;
// a word that is not part of the entity: "aspirin or other drugs"
const SKIPPED =
  /^(?:an?|the|its|their|any|other|another|die|der|das|eine?|andere[nrs]?|les?|la|une?|autres?|el|los|las|una?|otr[ao]s?)$/iu;
// parentheses, which can contain parentheses
const BRACKETS = /(?<=^|\s)[([]((?:[^()[\]]|[([][^()[\]]*[)\]])*)[)\]]?/g;
// "product(s)"
const ATTACHED = /(?<=\S)[([][^()[\]\s]*[)\]]?/g;
// "pre- and postoperative"
const SUSPENDED = /(\p{L}+)-(?=[\s,/])/u;

/**
 * @param {Range} range
 * @param {string} text
 * @param {Known} known
 * @param {Range[]} omitted words that are in no entity
 * @returns {Iterable<Form>}
 */
export function* forms([start, end], text, known, omitted) {
  const whole = text.slice(start, end);
  for (const bracket of bracketed(whole))
    for (const { name: way, words, cut } of divisions(whole, bracket.words, known)) {
      /** @param {Range} range @returns {Range[]} */
      const within = ([from, to]) =>
        words
          .filter((word) => from < word[1] && word[0] < to)
          .map((word) => /** @type {Range} */ ([start + Math.max(word[0], from), start + Math.min(word[1], to)]))
          .filter((word) => !omitted.some((other) => other[0] < word[1] && word[0] < other[1]));
      const aside = bracket.aside.map((range) => [/** @type {Range} */ ([start + range[0], start + range[1]])]);
      for (const { name, parts, merged } of mergedParts(split(bracket.masked))) {
        const divided = parts.map(within).filter((part) => part.length);
        const traits = { merged, cut, stripped: 0, articles: 0, crossed: 0, partial: 0 };
        const form = { name: `${bracket.name} ${way} ${name}`, parts: divided, aside, traits };
        yield form;
        const shorter = {
          stripped: divided.map((part, at) => (at ? withoutSkipped(part, divided[0], text) : part)),
          articles: divided.map((part) => part.filter((word) => !ARTICLE.test(text.slice(...word)))),
        };
        for (const [kind, own] of Object.entries(shorter))
          if (own.some((part, at) => part.length < divided[at].length) && own.every((part) => part.length))
            yield { ...form, name: `${form.name} ${kind}`, parts: own, traits: { ...traits, [kind]: 1 } };
      }
    }
}

/**
 * @param {string} whole
 * @returns {{name: string, masked: string, words: string, aside: Range[]}[]} parentheses that separate
 *     parts, that belong to a part or to no entity, or that are entities, such as abbreviations
 */
function bracketed(whole) {
  /** @param {string} found */
  const filled = (found) => "x".repeat(found.length);
  /** @param {string} found */
  const blank = (found) => " ".repeat(found.length);
  const attached = whole.replace(ATTACHED, filled);
  const separated = whole.replace(BRACKETS, (found) => found.replace(/^.|[)\]]$/g, " "));
  const commas = attached.replace(/[([]/g, ",").replace(/[)\]]/g, " ");
  const none = /** @type {Range[]} */ ([]);
  const all = [{ name: "separated", masked: commas, words: separated, aside: none }];
  if (attached !== whole) {
    const short = whole.replace(ATTACHED, blank);
    all.push({ name: "short", masked: short, words: short, aside: none });
  }
  const brackets = [...whole.matchAll(BRACKETS)];
  if (!brackets.length) return all;
  const dropped = whole.replace(BRACKETS, blank);
  const masked = dropped.replace(ATTACHED, filled);
  const aside = brackets.flatMap(({ index, 1: inner }) =>
    split(inner).map(([from, to]) => /** @type {Range} */ ([index + 1 + from, index + 1 + to])),
  );
  return [
    ...all,
    { name: "kept", masked: attached.replace(BRACKETS, filled), words: whole, aside: none },
    { name: "dropped", masked, words: dropped, aside: none },
    { name: "aside", masked, words: dropped, aside },
  ];
}

/**
 * @param {string} whole
 * @param {string} shown without some of the parentheses
 * @param {Known} known
 * @returns {Iterable<{name: string, words: Range[], cut: number}>} words, which can be divided at
 *     hyphens ("1 or 2-level") and in compounds ("hypo- or hyperthyroidism")
 */
function* divisions(whole, shown, known) {
  /** @param {RegExp} pattern @returns {Range[]} */
  const wordsOf = (pattern) => [...shown.matchAll(pattern)].map(({ index, 0: word }) => [index, index + word.length]);
  const plain = wordsOf(/\S+/g);
  yield { name: "", words: plain, cut: 0 };
  const suspended = SUSPENDED.exec(whole);
  if (/\S-\S/.test(shown)) {
    const words = wordsOf(suspended ? /[^\s-]+-?|-+/g : /-?[^\s-]+|-+/g);
    yield { name: "hyphens", words, cut: Number(!suspended) };
  }
  const last = split(whole).at(-1) ?? [0, 0];
  const compound = plain.find(([from]) => last[0] <= from);
  if (!suspended || !compound || compound[0] < suspended.index || !/^\p{L}+$/u.test(whole.slice(...compound))) return;
  for (const [i, at] of cutsOf(whole.slice(...compound), suspended[1], known).entries())
    for (const isKept of [false, true]) {
      /** @param {Range} word @returns {Range[]} */
      const divided = ([from, to]) => {
        if (from === compound[0]) return [[from, from + at], [from + at, to]];
        return [[from, !isKept && whole[to - 1] === "-" ? to - 1 : to]];
      };
      yield { name: `compound ${at} ${isKept}`, words: plain.flatMap(divided), cut: i + Number(isKept) / 2 };
    }
}

/** @param {string} compound @param {string} prefix of another @param {Known} known @returns {number[]} where the second word of a compound can begin */
function cutsOf(compound, prefix, known) {
  /** @param {number} at */
  const cost = (at) => {
    const second = compound.slice(at);
    const isKnown = known.hasWord(prefix + second) || known.hasWord(second);
    return Math.abs(at - prefix.length) - (isKnown ? compound.length : 0);
  };
  const all = Array.from({ length: Math.max(compound.length - 4, 0) }, (_, i) => i + 2);
  return all.sort((a, b) => cost(a) - cost(b)).slice(0, 2);
}

/** @param {Range[]} parts @returns {Iterable<{name: string, parts: Range[], merged: number}>} in which the first and the last part can contain coordinators */
function* mergedParts(parts) {
  const n = parts.length;
  yield { name: "", parts, merged: 0 };
  if (n > MOST_PARTS) return;
  for (let i = 0; i < n - 1; i += 1)
    for (let j = n - 1; j > i; j -= 1) {
      const merged = i + n - 1 - j;
      if (!merged) continue;
      /** @type {Range[]} */
      const ends = [[parts[0][0], parts[i][1]], [parts[j][0], parts[n - 1][1]]];
      yield { name: `${i} ${j}`, parts: [ends[0], ...parts.slice(i + 1, j), ends[1]], merged };
    }
}

/** @param {Range[]} words @param {Range[]} start @param {string} text @returns {Range[]} */
function withoutSkipped(words, start, text) {
  const before = start.map((word) => text.slice(...word));
  const first = words.findIndex((range, i) => {
    const word = text.slice(...range);
    const isSkipped = SKIPPED.test(word) || (FUNCTION_WORD.test(word) && before.includes(word));
    return i === words.length - 1 || !isSkipped;
  });
  return words.slice(first);
}
