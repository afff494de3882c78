/** Words that are found in a text. */

import assert from "node:assert";
import test from "node:test";
import { findWords } from "../../../spacy_gapdner/apps/annotate/static/js/finder.js";

const CASES = [
  ["Back pain, back  pain", "back pain", [[0, 9], [11, 21]]],
  ["a (b) c", "(B)", [[2, 5]]],
  ["a", " ", []],
];
for (const [text, query, expected] of CASES) test(`${query} in ${text}`, () => assert.deepEqual(findWords(text, query), expected));
