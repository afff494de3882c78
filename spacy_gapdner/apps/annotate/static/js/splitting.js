/** The dialog that splits a coordination. */

import { combinations } from "./coordination.js";
import { choose } from "./dialogs.js";
import { Known } from "./known.js";
import { extent, joined, wording } from "./mentions.js";
import { isSure, readings, varied, wordsToOmit } from "./readings.js";

/** @typedef {import("./types.js").Mention} Mention */
/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./readings.js").Reading} Reading */
/** @typedef {import("./session.js").Session} Session */

// keys of words, except for the keys of other actions and the digits, which select entities
const WORD_KEYS = "bdefghijklmnopqrstuvwz";
const UNSURE = "This suggestion is uncertain, so nothing is selected.";

/**
 * @param {Session} session
 * @param {Mention} chosen
 * @param {import("./app.js").App} app
 * @returns {Promise<Mention[] | null>} the entities, or null if canceled
 */
export async function askHowToSplit(session, chosen, app) {
  const { label, fragments } = chosen;
  const { text } = session;
  const find = waysToSplit(session, chosen, app.phrases());
  /** @type {Range[]} */
  let omitted = [];
  let all = find(omitted);
  if (!all.length) {
    app.say("The entity contains no comma, slash, parenthesis or coordinator.");
    return null;
  }
  let reading = all[0];
  let isOn = isSure(all);
  /** @param {() => Reading} find */
  const go = (find) => () => {
    reading = find();
    isOn = true;
  };
  /** @param {Range} word @returns {Reading} without the word in all entities, or with it again */
  const toggle = (word) => {
    const others = omitted.filter((other) => other !== word);
    const some = others.length < omitted.length ? others : [...omitted, word];
    const found = find(some);
    if (!found.length) return reading;
    [omitted, all] = [some, found];
    return all[0];
  };
  /** @param {string} key @param {string} text @param {"first" | "last"} side @param {1 | -1} step */
  const share = (key, text, side, step) => ({ key, text, run: go(() => varied(all, reading, side, step)) });
  const actions = [
    { key: "c", text: "Next suggestion", run: go(() => all[(all.indexOf(reading) + 1) % all.length]) },
    { key: "a", text: "Select all", run: go(() => reading) },
    share("x", "More at the start", "first", 1),
    share("X", "Less at the start", "first", -1),
    share("y", "More at the end", "last", 1),
    share("Y", "Less at the end", "last", -1),
  ];
  const words = wordsToOmit(fragments[0], text).slice(0, WORD_KEYS.length);
  const omissions = words.map((word, i) => ({
    key: WORD_KEYS[i],
    text: text.slice(...word),
    isOn: () => !omitted.includes(word),
    run: go(() => toggle(word)),
  }));
  const made = await choose({
    title: "Split into entities",
    text: () => {
      const words = [reading.first, reading.last].filter((range) => range.length);
      const shared = words.map((fragments) => `“${wording({ label, fragments }, text)}”`).join(" and ");
      return `${isOn ? "" : `${UNSURE} `}Shared by all: ${shared || "nothing"}.`;
    },
    confirm: "Create",
    actions: fragments.length > 1 ? [] : actions,
    toggles: fragments.length > 1 ? [] : omissions,
    togglesText: "Words of the entities:",
    choices: () =>
      reading.entities.map((own) => ({
        mention: { label, fragments: own },
        text: wording({ label, fragments: own }, text),
        label,
        style: app.styleOf(label),
        isChecked: isOn,
      })),
  });
  return made && made.map(({ mention }) => mention);
}

/**
 * @param {Session} session
 * @param {Mention} chosen
 * @param {Record<string, number>} phrases the texts of entities, with their numbers
 * @returns {(omitted: Range[]) => Reading[]} the readings without these words
 */
function waysToSplit({ text, proposed }, { label, fragments }, phrases) {
  if (fragments.length > 1) {
    const entities = combinations(fragments, text);
    const traits = { merged: 0, cut: 0, stripped: 0, articles: 0, crossed: 0, partial: 0 };
    const only = { form: "", first: [], last: [], own: [], traits, score: 0, entities };
    return () => (entities.length > 1 ? [only] : []);
  }
  const [[start, end]] = fragments;
  const inside = proposed
    .filter((p) => p.source === "model" && p.label === label && start <= extent(p)[0] && extent(p)[1] <= end)
    .map((p) => joined(p.fragments, text))
    .filter((own) => own.length > 1 || own[0][0] !== start || own[0][1] !== end);
  const known = new Known(phrases, inside);
  return (omitted) => readings([start, end], text, known, omitted);
}
