/** Runs commands for keys and buttons. */

import { commandNamed, commandOf, COMMANDS, keyOf, nameOf } from "./commands.js";

// of lists and sliders
const MOVES = /^(Arrow|Page|Home|End|Enter| )/;
let isReachedByMouse = false;
// commands that do not need an open text
const WITHOUT_TEXT = new Set([...COMMANDS.Texts, commandNamed("leave")]);

/** @param {import("./app.js").App} app */
export function listenToKeys(app) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]") || takesKeys(event)) return;
    const key = keyOf(event);
    const label = app.project.labels.find((other) => other.key === key);
    const command = commandOf(key);
    if (!(app.openSession ? label || command : WITHOUT_TEXT.has(command))) return;
    event.preventDefault();
    if (command) void command.run(app);
    else if (label) app.gestures.setLabel(label.name);
  });
  for (const button of document.querySelectorAll("[data-command]")) {
    const command = button instanceof HTMLElement && commandNamed(button.dataset.command ?? "");
    if (!command) continue;
    button.ariaKeyShortcuts = command.keys[0];
    button.title = `${command.help} (${nameOf(command.keys[0])})`;
    button.addEventListener("click", () => {
      if (app.openSession || WITHOUT_TEXT.has(command)) command.run(app);
    });
  }
}

/** After a mouse action, keys are meant for the text again. @param {import("./app.js").App} app */
export function returnFocus(app) {
  let isByMouse = false;
  addEventListener("pointerdown", () => (isByMouse = true), true);
  addEventListener("keydown", () => (isByMouse = false), true);
  addEventListener("focusin", () => (isReachedByMouse = isByMouse));
  for (const [name, used] of [["click", "button, summary, [type=range]"], ["change", "select, input"]])
    document.addEventListener(name, ({ target }) => {
      const isUsed = target instanceof Element && target.closest(used);
      const isOver = app.list.isOver || document.querySelector("dialog[open]");
      if (isUsed && isByMouse && !isOver) app.focusText();
    });
}

/** @param {KeyboardEvent} event @returns {boolean} whether the focused element uses the key itself */
function takesKeys({ target, key }) {
  if (!(target instanceof Element)) return false;
  if (target.closest("[type=search]")) return true;
  // letters choose an option
  if (target.closest("select") && key !== "Escape" && !isReachedByMouse) return true;
  if (target.closest("input, select, #text-list")) return MOVES.test(key);
  return Boolean(target.closest("button, summary, a")) && (key === "Enter" || key === " ");
}
