/** Ranks the readings of a coordination by their form, by the other entities, and by the model's proposals. */

import { FUNCTION_WORD } from "./forms.js";

/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./readings.js").Reading} Reading */
/** @typedef {import("./known.js").Known} Known */

// of each proposal of the model that is an entity of the reading
const PROPOSED = 2;
// estimated with project/scripts/split_coordinations.py
/** @type {Record<string, number>} */
const WEIGHTS = {
  merged: -1.4,
  cut: -0.5,
  stripped: 0.6,
  articles: -0.5,
  crossed: -0.7,
  partial: -1.3,
  known: 0.6,
  joins: 1.5,
  divided: -0.5,
  starts: 0.3,
  ends: 1.0,
  endings: 0.9,
  single: 1.4,
  none: -1.5,
  last: -0.4,
  hasLast: 0.5,
  both: -1.4,
  function: 1.0,
  difference: -0.9,
  empty: -1.3,
  identical: -0.8,
  repeated: -0.6,
};

/** @param {Reading} reading @param {string} text @param {Known} known @returns {number} */
export function scoreOf(reading, text, known) {
  const features = Object.entries(featuresOf(reading, text, known));
  const own = features.reduce((sum, [name, value]) => sum + value * WEIGHTS[name], 0);
  return own + PROPOSED * known.agreement(reading.entities);
}

/** @param {Reading} reading @param {string} text @param {Known} known @returns {Record<string, number>} */
export function featuresOf({ entities, first, last, own, traits }, text, known) {
  /** @param {Range | undefined} word */
  const at = (word) => (word ? text.slice(...word) : "");
  const phrases = entities.map((fragments) => fragments.map(at).join(" "));
  const sizes = own.map((words) => words.length);
  const joins = [
    ...(first.length ? own.slice(1).map((words) => [at(first.at(-1)), at(words[0])]) : []),
    ...(last.length ? own.slice(0, -1).map((words) => [at(words.at(-1)), at(last[0])]) : []),
  ];
  /** @param {string[]} pair */
  const logCount = ([left, right]) => Math.log1p(known.countPair(left, right));
  const endings = own.map((words) => at(words.at(-1)).slice(-2));
  const names = own.map((words) => words.map(at).join(" ").toLowerCase());
  const shared = new Set([...first, ...last].map((word) => at(word).toLowerCase()));
  return {
    ...traits,
    // as entities, and as two words of an entity
    known: mean(phrases.map((phrase) => Math.log1p(known.count(phrase)))),
    joins: mean(joins.map(logCount)),
    divided: last.length ? logCount([at(own.at(-1)?.at(-1)), at(last[0])]) : 0,
    // of words at the start and at the end of an entity
    starts: mean(phrases.map((phrase) => known.logShare(phrase.split(/\s+/)[0], "first"))),
    ends: mean(phrases.map((phrase) => known.logShare(phrase.split(/\s+/).at(-1) ?? "", "last"))),
    // "hepatic or renal" is not, "cardiac or hepatic" is
    endings: mean(endings.slice(1).map((ending, i) => Number(ending !== "" && ending === endings[i]))),
    single: Number(sizes.every((size) => size === 1)),
    none: Number(!first.length && !last.length),
    last: last.length,
    hasLast: Number(last.length > 0),
    both: Number(first.length > 0 && last.length > 0),
    function: Number(FUNCTION_WORD.test(at(first.at(-1)))),
    difference: Math.min(Math.max(...sizes) - Math.min(...sizes), 4),
    empty: Number(sizes.includes(0)),
    // "blood or blood products" do not share "products", "HIV 1 or HIV 2" do not share "HIV"
    identical: Number(new Set(names).size < names.length),
    repeated: Number(own.flat().some((word) => shared.has(at(word).toLowerCase()))),
  };
}

/** @param {number[]} values @returns {number} */
function mean(values) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
}
