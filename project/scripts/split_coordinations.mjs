/**
 * Reads coordinations from standard input, and writes the number of keys that each of them takes on the
 * page of `gapdner annotate`, and the features of its readings.
 */

import { readFileSync } from "node:fs";
import { Known } from "../../spacy_gapdner/apps/annotate/static/js/known.js";
import { joined } from "../../spacy_gapdner/apps/annotate/static/js/mentions.js";
import { featuresOf } from "../../spacy_gapdner/apps/annotate/static/js/ranking.js";
import { isSure, readings, varied, wordsToOmit } from "../../spacy_gapdner/apps/annotate/static/js/readings.js";

const MOST_KEYS = 2;
const nameOf = (fragments) => JSON.stringify(fragments);

/** The number of entities to deselect, if the reading contains all gold entities. */
function surplus(reading, gold) {
  const names = new Set(reading.entities.map(nameOf));
  return gold.every((fragments) => names.has(nameOf(fragments))) ? names.size - gold.length : Infinity;
}

/** The keys until exactly the gold entities are selected, or null if they are more. */
function keysOf(range, text, known, gold) {
  const all = readings(range, text, known);
  let best = keysFrom(all, isSure(all), gold, MOST_KEYS);
  // leaving out more than one word is not counted
  for (const word of best > 1 ? wordsToOmit(range, text) : [])
    best = Math.min(best, 1 + keysFrom(readings(range, text, known, [word]), true, gold, MOST_KEYS - 1));
  return best <= MOST_KEYS ? best : null;
}

/** The keys from the first reading, which is selected or not. */
function keysFrom(all, isSelected, gold, most) {
  let best = Infinity;
  let current = all.slice(0, 1);
  for (let n = 0; n <= most; n += 1) {
    for (const reading of n || isSelected ? current : []) best = Math.min(best, n + surplus(reading, gold));
    current = current.flatMap((reading) => [
      reading,
      all[(all.indexOf(reading) + 1) % all.length],
      ...["first", "last"].flatMap((side) => [1, -1].map((step) => varied(all, reading, side, step))),
    ]);
  }
  return best;
}

const { documents, lexicon } = JSON.parse(readFileSync(0, "utf-8"));
const known = new Known(lexicon);
const found = documents.flatMap(({ phrases, coordinations }) => {
  if (Object.keys(lexicon).length) known.add(phrases, -1);
  const results = coordinations.map((coordination) => assess(coordination, known));
  if (Object.keys(lexicon).length) known.add(phrases);
  return results;
});
process.stdout.write(JSON.stringify(found));

function assess({ text, range, gold }, known) {
  const all = readings(range, text, known);
  const expected = gold.map((fragments) => joined(fragments, text));
  return {
    keys: keysOf(range, text, known, expected),
    rank: all.findIndex((reading) => surplus(reading, expected) === 0),
    isSure: isSure(all),
    first: all[0]?.entities ?? [],
    features: all.map((reading) => featuresOf(reading, text, known)),
  };
}
