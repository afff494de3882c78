/** The dialog that splits a coordination. */

import { combinations } from "./coordination.js";
import { choose } from "./dialogs.js";
import { Known } from "./known.js";
import { extent, joined, wording } from "./mentions.js";
import { isSure, readings, varied } from "./readings.js";

/** @typedef {import("./types.js").Mention} Mention */
/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./readings.js").Reading} Reading */
/** @typedef {import("./session.js").Session} Session */

const UNSURE = "This suggestion is uncertain, so that nothing is selected.";

/**
 * @param {Session} session
 * @param {Mention} chosen
 * @param {import("./app.js").App} app
 * @returns {Promise<Mention[] | null>} the entities, or null if canceled
 */
export async function askHowToSplit(session, chosen, app) {
  const { label, fragments } = chosen;
  const { text } = session;
  const all = waysToSplit(session, chosen, app.phrases());
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
  const made = await choose({
    title: "Split into entities",
    text: () => {
      const words = [reading.first, reading.last].filter((range) => range.length);
      const shared = words.map((fragments) => `“${wording({ label, fragments }, text)}”`).join(" and ");
      return `${isOn ? "" : `${UNSURE} `}Shared by all: ${shared || "nothing"}.`;
    },
    confirm: "Create",
    actions: fragments.length > 1 ? [] : actions,
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
 * @returns {Reading[]}
 */
function waysToSplit({ text, proposed }, { label, fragments }, phrases) {
  if (fragments.length > 1) {
    const entities = combinations(fragments, text);
    const first = /** @type {Range[]} */ ([]);
    const rest = { form: "", last: first, own: [], isCrossed: false, isPartial: false, nMerged: 0, isCut: false, score: 0 };
    return entities.length > 1 ? [{ ...rest, first, entities }] : [];
  }
  const [[start, end]] = fragments;
  const inside = proposed
    .filter((p) => p.source === "model" && p.label === label && start <= extent(p)[0] && extent(p)[1] <= end)
    .map((p) => joined(p.fragments, text))
    .filter((own) => own.length > 1 || own[0][0] !== start || own[0][1] !== end);
  return readings([start, end], text, new Known(phrases, inside));
}
