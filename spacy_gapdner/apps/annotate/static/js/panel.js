/** The selected entity or proposal with its type, fragments, warnings and notes. */

import { find, make } from "./dom.js";
import { contradictions, isProposal } from "./gestures.js";
import { inOrder } from "./mentions.js";

/** @typedef {import("./types.js").Range} Range */

const HIDDEN =
  "Their offsets are outside the text, or their id is repeated. Correct the .ann file.";

/** @param {import("./app.js").App} app @returns {void} */
export function drawPanel(app) {
  const { chosen, text, remarks, nHidden } = app.session;
  const box = find("chosen", HTMLElement);
  for (const name of ["accept", "reject"]) buttonOf(name).hidden = !chosen || !isProposal(chosen);
  for (const name of ["add", "split", "delete", "equal"]) buttonOf(name).disabled = !chosen;
  buttonOf("add").ariaPressed = String(app.isAdding);
  buttonOf("undo").disabled = !app.session.canTravel("undo");
  buttonOf("redo").disabled = !app.session.canTravel("redo");
  if (!chosen) {
    box.replaceChildren(
      make(
        "p",
        { className: "hint" },
        "Drag over words to create an entity. Hold Shift to add a fragment.",
      ),
      ...(nHidden ? [make("p", { className: "warning" }, `⚠ Entities not shown: ${nHidden}. ${HIDDEN}`)] : []),
    );
    return;
  }
  const { notes, warnings } = remarks.get(chosen.key) ?? { notes: [], warnings: [] };
  const origin = isProposal(chosen) ? `proposed by ${chosen.source}` : "";
  const score = isProposal(chosen) && chosen.score !== null ? ` ${chosen.score.toFixed(2)}` : "";
  box.replaceChildren(
    make(
      "h2",
      { className: app.styleOf(chosen.label) },
      chosen.label,
      make("small", {}, ` ${origin}${score}`),
    ),
    make(
      "ul",
      { className: "fragments", ariaLabel: "Fragments" },
      ...inOrder(chosen.fragments).map((fragment) => fragmentItem(app, text, fragment)),
    ),
    ...warnings.map((warning) => make("p", { className: "warning" }, `⚠ ${warning}`)),
    ...[...contradictions(chosen, app.session), ...notes].map((note) => make("p", { className: "note" }, note)),
  );
}

/** @param {import("./app.js").App} app @param {string} text @param {Range} fragment @returns {HTMLElement} */
function fragmentItem(app, text, fragment) {
  const words = text.slice(...fragment);
  const button = make(
    "button",
    { ariaLabel: `Remove ${words}`, title: "Remove this fragment" },
    "×",
  );
  button.addEventListener("click", () => app.gestures.addFragment(fragment));
  return make("li", {}, make("span", { dir: "auto" }, words), button);
}

/** @param {string} name @returns {HTMLButtonElement} the button of a command */
export function buttonOf(name) {
  const button = document.querySelector(`[data-command="${name}"]`);
  if (!(button instanceof HTMLButtonElement))
    throw new Error(`The page has no button for ${name}.`);
  return button;
}
