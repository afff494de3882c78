/**
 * The ways to read a coordination. In "severe joint and back pain", the first word, the last word, both
 * or none can be shared.
 */

import { parts } from "./coordination.js";
import { MOST_PARTS, forms } from "./forms.js";
import { joined } from "./mentions.js";
import { scoreOf } from "./ranking.js";

/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./forms.js").Form} Form */
/** @typedef {import("./known.js").Known} Known */
/**
 * @typedef {object} Reading
 * @property {string} form readings of the same form only differ in the number of shared words
 * @property {Range[][]} entities their fragments
 * @property {Range[]} first the shared words at the start
 * @property {Range[]} last the shared words at the end
 * @property {Range[][]} own the words of each part that are not shared
 * @property {import("./forms.js").Traits} traits
 * @property {number} score
 */

// words at one side
const MOST_SHARED = 8;

/**
 * @param {Range} range
 * @param {string} text
 * @param {Known} known
 * @param {Range[]} [omitted] words that are in no entity
 * @returns {Reading[]} the most likely first
 */
export function readings(range, text, known, omitted = []) {
  /** @type {Map<string, Reading>} */
  const found = new Map();
  for (const form of forms(range, text, known, omitted))
    for (const reading of readingsOf(form, text)) {
      const key = JSON.stringify(reading.entities);
      if (reading.entities.length > 1 && !found.has(key)) found.set(key, reading);
    }
  const all = [...found.values()];
  for (const reading of all) reading.score = scoreOf(reading, text, known);
  return all.sort((a, b) => b.score - a.score);
}

/** @param {Range} range @param {string} text @returns {Range[]} the words of the parts, which can be left out */
export function wordsToOmit(range, text) {
  return parts(range, text).flatMap(([start, end]) =>
    [...text.slice(start, end).matchAll(/[^\s()[\]]+/g)].map(
      ({ index, 0: word }) => /** @type {Range} */ ([start + index, start + index + word.length]),
    ),
  );
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

/** @param {Form} form @param {string} text @returns {Iterable<Reading>} */
function* readingsOf({ name, parts, aside, traits }, text) {
  const n = parts.length;
  const [start, end] = [parts[0], parts[n - 1]];
  const plain = { form: name, traits, score: 0 };
  const isPlain = n <= MOST_PARTS && Object.values(traits).every((value) => !value);
  /** @param {Range[][]} entities @returns {Range[][]} */
  const all = (entities) => [...entities, ...aside].map((words) => joined(words, text));
  if (n < 2) return yield { ...plain, first: [], last: [], own: parts, entities: all(parts) };
  for (let i = 0; i <= Math.min(start.length, MOST_SHARED); i += 1)
    for (let j = 0; j <= Math.min(end.length, MOST_SHARED); j += 1) {
      const [first, last] = [start.slice(0, i), end.slice(end.length - j)];
      const own = parts.map((part, at) => part.slice(at ? 0 : i, at < n - 1 ? undefined : part.length - j));
      const full = own.map((part) => [...first, ...part, ...last]);
      const reading = { ...plain, first, last, own };
      yield { ...reading, entities: all(full) };
      if (n > 2 && i) {
        const entities = all([...full.slice(0, -1), [...own[n - 1], ...last]]);
        yield { ...reading, form: `${name} first`, entities, traits: { ...traits, partial: 1 } };
      }
      if (n > 2 && j) {
        const entities = all([[...first, ...own[0]], ...full.slice(1)]);
        yield { ...reading, form: `${name} last`, entities, traits: { ...traits, partial: 1 } };
      }
      for (const { at, left, right } of isPlain ? pivots(own) : []) {
        const some = [...own.slice(0, at), own[at].slice(0, left)];
        const others = [own[at].slice(right), ...own.slice(at + 1)];
        const middle = own[at].slice(left, right);
        const pairs = some.flatMap((one) => others.map((other) => [...first, ...one, ...middle, ...other, ...last]));
        const form = `${name} ${at} ${left} ${right}`;
        yield { ...reading, form, own: [...some, ...others], entities: all(pairs), traits: { ...traits, crossed: 1 } };
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
