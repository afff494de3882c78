/**
 * Reads coordinations from standard input, and writes the number of keys that each of them takes on the
 * page of `gapdner annotate`, and the features of its readings.
 */

import { readFileSync } from "node:fs";
import { Known } from "../../spacy_gapdner/apps/annotate/static/js/known.js";
import { joined } from "../../spacy_gapdner/apps/annotate/static/js/mentions.js";
import { featuresOf, isSure, readings, varied } from "../../spacy_gapdner/apps/annotate/static/js/readings.js";

const MOST_KEYS = 2;
const nameOf = (fragments) => JSON.stringify(fragments);

/** The number of entities to deselect, if the reading contains all gold entities. */
function surplus(reading, gold) {
  const names = new Set(reading.entities.map(nameOf));
  return gold.every((fragments) => names.has(nameOf(fragments))) ? names.size - gold.length : Infinity;
}

/** The keys until exactly the gold entities are selected, or null if they are more. */
function keysOf(all, gold) {
  let best = Infinity;
  let states = all.length ? [{ reading: all[0], isOn: isSure(all) }] : [];
  for (let n = 0; n <= MOST_KEYS; n += 1) {
    for (const { reading, isOn } of states) if (isOn) best = Math.min(best, n + surplus(reading, gold));
    states = states.flatMap(({ reading }) => [
      { reading, isOn: true },
      { reading: all[(all.indexOf(reading) + 1) % all.length], isOn: true },
      ...["first", "last"].flatMap((side) => [1, -1].map((step) => ({ reading: varied(all, reading, side, step), isOn: true }))),
    ]);
  }
  return best <= MOST_KEYS ? best : null;
}

const { documents, lexicon } = JSON.parse(readFileSync(0, "utf-8"));
const found = documents.flatMap(({ phrases, coordinations }) => {
  const others = Object.entries(lexicon).map(([phrase, n]) => [phrase, n - (phrases[phrase] ?? 0)]);
  const known = new Known(Object.fromEntries(others.filter(([, n]) => n > 0)));
  return coordinations.map((coordination) => assess(coordination, known));
});
process.stdout.write(JSON.stringify(found));

function assess({ text, range, gold }, known) {
  const all = readings(range, text, known);
  const expected = gold.map((fragments) => joined(fragments, text));
  return {
    keys: keysOf(all, expected),
    rank: all.findIndex((reading) => surplus(reading, expected) === 0),
    isSure: isSure(all),
    first: all[0]?.entities ?? [],
    features: all.map((reading) => featuresOf(reading, text, known)),
  };
}
