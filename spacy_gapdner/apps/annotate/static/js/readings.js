/**
 * The ways to read a coordination. In "severe joint and back pain", the first word, the last word, both
 * or none can be shared. Readings are ranked by their form, by the other entities of the type, and by
 * the proposals of the model.
 */

import { split } from "./coordination.js";
import { joined } from "./mentions.js";

/** @typedef {import("./types.js").Range} Range */
/**
 * @typedef {object} Form how a coordination is divided
 * @property {string} name
 * @property {Range[][]} parts the words of each part
 * @property {Range[][]} aside the words in parentheses, if they are entities of their own
 * @property {number} nMerged coordinators that do not separate parts
 * @property {boolean} isCut whether words are divided at their hyphens
 */
/**
 * @typedef {object} Reading
 * @property {string} form readings of the same form only differ in the number of shared words
 * @property {Range[][]} entities their fragments
 * @property {Range[]} first the shared words at the start
 * @property {Range[]} last the shared words at the end
 * @property {Range[][]} own the words of each part that are not shared
 * @property {boolean} isCrossed whether there are two coordinations: "joint or back pain and swelling"
 * @property {boolean} isPartial whether a part does not share the words: "hepatitis B, C and HIV serologies"
 * @property {number} nMerged
 * @property {boolean} isCut
 * @property {number} score
 */
/** @typedef {import("./known.js").Known} Known */

// the number of readings grows with the square of the number of parts
const MOST_PARTS = 7;
const BRACKETS = /[([]([^()[\]]*)[)\]]?/g;
const FUNCTION_WORD =
  /^(?:of|in|on|to|for|with|without|by|from|at|the|an?|that|within|during|after|before|under|than|per|about|against|into|von|vo[mn]|der|die|das|de[mnrs]|mit|ohne|bei[m]?|zur?|zum|nach|für|im|am|auf|du|de[ls]?|la|les?|à|aux?|avec|sans|pour|en|par|el|los|las|con|sin|por|para|di|da|del[la]?)$/iu;
// a word that is not part of the entity: "aspirin or other drugs"
const SKIPPED =
  /^(?:an?|the|its|their|any|other|another|die|der|das|eine?|andere[nrs]?|les?|la|une?|autres?|el|los|las|una?|otr[ao]s?)$/iu;

/**
 * @param {Range} range
 * @param {string} text
 * @param {Known} known
 * @returns {Reading[]} the most likely first
 */
export function readings(range, text, known) {
  /** @type {Map<string, Reading>} */
  const found = new Map();
  for (const form of forms(range, text))
    for (const reading of readingsOf(form, text)) {
      const key = JSON.stringify(reading.entities);
      if (reading.entities.length > 1 && !found.has(key)) found.set(key, reading);
    }
  const all = [...found.values()];
  for (const reading of all) reading.score = scoreOf(reading, text, known);
  return all.sort((a, b) => b.score - a.score);
}

// below, no entities are preselected
const LEAST_PROBABILITY = 0.2;

/** @param {Reading[]} all @returns {boolean} whether the first reading is likely */
export function isSure(all) {
  const total = all.reduce((sum, { score }) => sum + Math.exp(score - all[0].score), 0);
  return total > 0 && 1 / total >= LEAST_PROBABILITY;
}

/**
 * @param {Reading[]} all
 * @param {Reading} reading
 * @param {"first" | "last"} side
 * @param {1 | -1} step
 * @returns {Reading} the reading with one more or fewer shared words, or the same reading
 */
export function varied(all, reading, side, step) {
  const other = side === "first" ? "last" : "first";
  const next = all.find(
    ({ form, [side]: { length: n }, [other]: { length: same } }) =>
      form === reading.form && n === reading[side].length + step && same === reading[other].length,
  );
  return next ?? reading;
}

/** @param {Range} range @param {string} text @returns {Iterable<Form>} */
function* forms([start, end], text) {
  const whole = text.slice(start, end);
  const isCut = !/\p{L}-(?=[\s,/])/u.test(whole);
  for (const bracket of bracketed(whole))
    for (const pattern of whole.includes("-") ? [/\S+/g, /[^\s-]+(?:-(?=\S))?|-\S*/g] : [/\S+/g]) {
      /** @param {Range} range @returns {Range[]} */
      const words = ([from, to]) =>
        [...bracket.words.slice(from, to).matchAll(pattern)].map((match) => {
          const at = start + from + match.index;
          return [at, at + match[0].length];
        });
      const aside = bracket.aside.map(([from, to]) => [/** @type {Range} */ ([start + from, start + to])]);
      for (const { name, parts, nMerged } of merged(split(bracket.masked))) {
        const divided = parts.map(words);
        const isHyphenated = divided.flat().some(([, to]) => /^-\S|\S-$/.test(text.slice(to - 1, to + 1)));
        if (pattern.source !== "\\S+" && !isHyphenated) continue;
        const form = {
          name: `${bracket.name} ${pattern.source} ${name}`,
          parts: divided,
          aside,
          nMerged,
          isCut: isCut && pattern.source !== "\\S+",
        };
        yield form;
        const stripped = divided.map((part, at) => (at ? withoutSkipped(part, text) : part));
        if (stripped.some((part, at) => part.length < divided[at].length))
          yield { ...form, name: `${form.name} stripped`, parts: stripped };
      }
    }
}

/** @param {Range[]} parts @returns {Iterable<{name: string, parts: Range[], nMerged: number}>} in which the first and the last part can contain coordinators */
function* merged(parts) {
  const n = parts.length;
  yield { name: "", parts, nMerged: 0 };
  if (n > MOST_PARTS) return;
  for (let i = 0; i < n - 1; i += 1)
    for (let j = n - 1; j > i; j -= 1) {
      const nMerged = i + n - 1 - j;
      if (!nMerged) continue;
      /** @type {Range[]} */
      const ends = [[parts[0][0], parts[i][1]], [parts[j][0], parts[n - 1][1]]];
      yield { name: `${i} ${j}`, parts: [ends[0], ...parts.slice(i + 1, j), ends[1]], nMerged };
    }
}

/** @param {Range[]} words @param {string} text @returns {Range[]} */
function withoutSkipped(words, text) {
  const first = words.findIndex((word, i) => i === words.length - 1 || !SKIPPED.test(text.slice(...word)));
  return words.slice(first);
}

/**
 * @param {string} whole
 * @returns {{name: string, masked: string, words: string, aside: Range[]}[]} parentheses that separate
 *     parts, that belong to a part or to no entity, or that are entities, such as abbreviations
 */
function bracketed(whole) {
  const separated = whole.replace(/[([]/g, ",").replace(/[)\]]/g, " ");
  const forms = [{ name: "separated", masked: separated, words: separated, aside: /** @type {Range[]} */ ([]) }];
  const brackets = [...whole.matchAll(BRACKETS)];
  if (!brackets.length) return forms;
  const dropped = whole.replace(BRACKETS, (found) => " ".repeat(found.length));
  const kept = whole.replace(BRACKETS, (found) => "x".repeat(found.length));
  const aside = brackets.flatMap(({ index, 1: inner }) =>
    split(inner).map(([from, to]) => /** @type {Range} */ ([index + 1 + from, index + 1 + to])),
  );
  return [
    ...forms,
    { name: "kept", masked: kept, words: whole, aside: [] },
    { name: "dropped", masked: dropped, words: dropped, aside: [] },
    { name: "aside", masked: dropped, words: dropped, aside },
  ];
}

/** @param {Form} form @param {string} text @returns {Iterable<Reading>} */
function* readingsOf({ name, parts, aside, nMerged, isCut }, text) {
  const n = parts.length;
  const [start, end] = [parts[0], parts[n - 1]];
  const plain = { form: name, isCrossed: false, isPartial: false, nMerged, isCut, score: 0 };
  /** @param {Range[][]} entities @returns {Range[][]} */
  const all = (entities) => [...entities, ...aside].map((words) => joined(words, text));
  if (n === 1) return yield { ...plain, first: [], last: [], own: parts, entities: all(parts) };
  for (let i = 0; i <= start.length; i += 1)
    for (let j = 0; j <= end.length; j += 1) {
      const [first, last] = [start.slice(0, i), end.slice(end.length - j)];
      const own = parts.map((part, at) => part.slice(at ? 0 : i, at < n - 1 ? undefined : part.length - j));
      const full = own.map((part) => [...first, ...part, ...last]);
      const reading = { ...plain, first, last, own };
      yield { ...reading, entities: all(full) };
      if (n > 2 && i) {
        const entities = all([...full.slice(0, -1), [...own[n - 1], ...last]]);
        yield { ...reading, form: `${name} first`, entities, isPartial: true };
      }
      if (n > 2 && j) {
        const entities = all([[...first, ...own[0]], ...full.slice(1)]);
        yield { ...reading, form: `${name} last`, entities, isPartial: true };
      }
      for (const { at, left, right } of n <= MOST_PARTS ? pivots(own) : []) {
        const some = [...own.slice(0, at), own[at].slice(0, left)];
        const others = [own[at].slice(right), ...own.slice(at + 1)];
        const middle = own[at].slice(left, right);
        const pairs = some.flatMap((one) => others.map((other) => [...first, ...one, ...middle, ...other, ...last]));
        const form = `${name} ${at} ${left} ${right}`;
        yield { ...reading, form, own: [...some, ...others], entities: all(pairs), isCrossed: true };
      }
    }
}

/** @param {Range[][]} parts @returns {{at: number, left: number, right: number}[]} where two coordinations can meet */
function pivots(parts) {
  return parts.slice(1, -1).flatMap((part, i) =>
    part.slice(1).flatMap((_, left) =>
      part.slice(left + 1).map((_, j) => ({ at: i + 1, left: left + 1, right: left + 1 + j })),
    ),
  );
}

/** @param {Reading} reading @param {string} text @param {Known} known @returns {number} */
function scoreOf(reading, text, known) {
  const { entities } = reading;
  const values = featuresOf(reading, text, known);
  const own = Object.entries(WEIGHTS).reduce((sum, [name, weight]) => sum + weight * values[name], 0);
  return own + PROPOSED * known.agreement(entities);
}

// of each proposal of the model that is an entity of the reading
const PROPOSED = 2;
// estimated with project/scripts/split_coordinations.py
/** @type {Record<string, number>} */
const WEIGHTS = {
  known: 0.4,
  joins: 2,
  endings: 0.9,
  single: 1.6,
  first: -0.1,
  last: -0.2,
  both: -1.2,
  function: 1.1,
  difference: -0.9,
  empty: -1,
  crossed: -0.8,
  partial: -1.4,
  merged: -1.4,
  cut: -0.7,
};

/** @param {Reading} reading @param {string} text @param {Known} known @returns {Record<string, number>} */
export function featuresOf({ entities, first, last, own, isCrossed, isPartial, nMerged, isCut }, text, known) {
  /** @param {Range | undefined} word */
  const at = (word) => (word ? text.slice(...word) : "");
  const phrases = entities.map((fragments) => fragments.map(at).join(" "));
  const sizes = own.map((words) => words.length);
  const joins = [
    ...(first.length ? own.slice(1).map((words) => [at(first.at(-1)), at(words[0])]) : []),
    ...(last.length ? own.slice(0, -1).map((words) => [at(words.at(-1)), at(last[0])]) : []),
  ];
  const endings = own.map((words) => at(words.at(-1)).slice(-2));
  return {
    // as entities, and as two words of an entity
    known: mean(phrases.map((phrase) => Math.log1p(known.count(phrase)))),
    joins: mean(joins.map(([left, right]) => Number(known.hasPair(left, right)))),
    // "hepatic or renal" is not, "cardiac or hepatic" is
    endings: mean(endings.slice(1).map((ending, i) => Number(ending !== "" && ending === endings[i]))),
    single: Number(sizes.every((size) => size === 1)),
    first: first.length,
    last: last.length,
    both: Number(first.length > 0 && last.length > 0),
    function: Number(FUNCTION_WORD.test(at(first.at(-1)))),
    difference: Math.min(Math.max(...sizes) - Math.min(...sizes), 4),
    empty: Number(sizes.includes(0)),
    crossed: Number(isCrossed),
    partial: Number(isPartial),
    merged: nMerged,
    cut: Number(isCut),
  };
}

/** @param {number[]} values @returns {number} */
function mean(values) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
}
