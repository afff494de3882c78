/** The same words elsewhere: annotates, changes or deletes all of them at once. */

import { api } from "./api.js";
import { counted, find, keyHint, make } from "./dom.js";
import { findWords } from "./finder.js";
import { extent, joined, wording } from "./mentions.js";

/** @typedef {import("./types.js").Mention} Mention */
/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./types.js").Content} Content */
/** @typedef {import("./session.js").Session} Session */
/** @typedef {"mark" | "change" | "delete"} Action */

/** @param {Session} session @param {Mention} mention @returns {string} */
const wordsOf = ({ text }, mention) => wording(mention, text).replaceAll(" … ", " ").toLowerCase();

/**
 * @param {Session} session
 * @param {Mention} chosen
 * @returns {Record<Action, {change: Partial<Content>, n: number}>} what each action changes in this text
 */
export function changesOf(session, chosen) {
  const { content, proposals } = session;
  const words = wordsOf(session, chosen);
  /** @param {Mention} mention */
  const isEqual = (mention) => wordsOf(session, mention) === words;
  const { label } = chosen;
  const known = new Set(content.entities.map((entity) => session.identity(entity)));
  const places = [...occurrences(session, chosen), ...proposals.filter((p) => isEqual(p) && p.label === label)];
  const taken = content.entities.filter(isEqual);
  const unique = new Map(places.map((place) => [session.identity({ ...place, label }), { label, fragments: place.fragments }]));
  const made = [...unique.values()].filter((place) => !taken.some((entity) => session.hasSameWords(entity, place)));
  const changed = taken.filter((entity) => entity.label !== label && !known.has(session.identity({ ...entity, label })));
  const deleted = taken.filter((entity) => entity.label === label);
  const rejected = proposals.filter((p) => isEqual(p) && p.label === label);
  return {
    mark: { change: { entities: [...content.entities, ...made.map((place) => session.entity(place))] }, n: made.length },
    change: {
      change: { entities: content.entities.map((e) => (changed.includes(e) ? { ...e, label } : e)) },
      n: changed.length,
    },
    delete: {
      change: {
        entities: content.entities.filter((e) => !deleted.includes(e)),
        rejected: [...content.rejected, ...rejected.map(({ fragments }) => ({ label, fragments }))],
      },
      n: deleted.length + rejected.length,
    },
  };
}

/** @param {Session} session @param {Mention} chosen @returns {Mention[]} the places with the words of a contiguous entity */
function occurrences({ text }, { label, fragments }) {
  const whole = joined(fragments, text);
  if (whole.length > 1) return [];
  const letter = /[\p{L}\p{M}\p{N}]/u;
  return findWords(text, text.slice(...extent({ label, fragments })))
    .filter(([start, end]) => !letter.test(text[start - 1] ?? "") && !letter.test(text[end] ?? ""))
    .map((range) => ({ label, fragments: [range] }));
}

/**
 * Ask what to do with the same words elsewhere.
 * @param {Session} session
 * @param {Mention} chosen
 * @returns {Promise<{action: Action, isEverywhere: boolean} | null>} null if canceled
 */
export function askAboutEqual(session, chosen) {
  const dialog = find("choice", HTMLDialogElement);
  const own = changesOf(session, chosen);
  const everywhere = make("input", { type: "checkbox" });
  const scope = make("span", {}, "Also in the other texts: searching …");
  /** @type {[Action, string, string][]} */
  const texts = [
    ["mark", "1", `Annotate all as ${chosen.label}`],
    ["change", "2", `Change all to ${chosen.label}`],
    ["delete", "3", `Delete all of type ${chosen.label}`],
  ];
  const buttons = texts.map(([, key, text]) => make("button", { type: "button", ariaKeyShortcuts: key }, text));
  const close = make("button", { type: "button" }, "Cancel", keyHint("Esc"));
  dialog.replaceChildren(
    make("h2", { id: "choice-title" }, `The same words: “${wording(chosen, session.text)}”`),
    make("p", {}, make("label", {}, everywhere, " ", keyHint("o"), scope)),
    make("p", { className: "group" }, ...buttons),
    make("p", { className: "buttons" }, close),
  );
  /** @type {Record<string, {entities: number, texts: number}>} */
  let others = {};
  const draw = () =>
    texts.forEach(([action, key, text], i) => {
      const { entities = 0, texts: n = 0 } = everywhere.checked ? (others[action] ?? {}) : {};
      const where = everywhere.checked ? ` here, ${entities} in ${counted(n, "other text")}` : " in this text";
      buttons[i].replaceChildren(`${text}: ${own[action].n}${where}`, keyHint(key));
      buttons[i].disabled = own[action].n + entities === 0;
    });
  draw();
  everywhere.onchange = draw;
  api.countEqual(equalWords(session, chosen)).then(
    (found) => {
      others = found;
      scope.textContent = "Also in the other texts, which cannot be undone";
      draw();
    },
    (error) => (scope.textContent = `The other texts cannot be searched: ${error.message}`),
  );
  return new Promise((resolve) => {
    /** @param {Action | null} action */
    const end = (action) => {
      dialog.onkeydown = null;
      dialog.close();
      resolve(action && { action, isEverywhere: everywhere.checked });
    };
    buttons.forEach((button, i) => (button.onclick = () => end(texts[i][0])));
    close.onclick = () => end(null);
    dialog.oncancel = (event) => {
      event.preventDefault();
      end(null);
    };
    dialog.onkeydown = (event) => {
      const used = event.key === "o" ? everywhere : buttons[texts.findIndex(([, key]) => key === event.key)];
      if (!used) return;
      event.preventDefault();
      used.click();
    };
    dialog.showModal();
    close.focus();
  });
}

/** @param {Session} session @param {Mention} chosen @returns {import("./types.js").EqualWords} */
export function equalWords(session, chosen) {
  return { words: wording(chosen, session.text).replaceAll(" … ", " "), label: chosen.label, skipped: session.id };
}
