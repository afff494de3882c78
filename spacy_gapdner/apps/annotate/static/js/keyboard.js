/** Runs commands for keys and buttons. */

import { commandNamed, commandOf, COMMANDS, keyOf, nameOf } from "./commands.js";

// commands that do not need an open text
const WITHOUT_TEXT = new Set([...COMMANDS.Texts, commandNamed("leave")]);

/** @param {import("./app.js").App} app */
export function listenToKeys(app) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || document.querySelector("dialog[open]") || takesKeys(event)) return;
    const key = keyOf(event);
    const label = app.project.labels.find((other) => other.key === key);
    const command = commandOf(key);
    if (!(app.open_ ? label || command : WITHOUT_TEXT.has(command))) return;
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
      if (app.open_ || WITHOUT_TEXT.has(command)) command.run(app);
    });
  }
}

/** @param {KeyboardEvent} event @returns {boolean} whether the focused element uses the key itself */
function takesKeys({ target, key }) {
  if (!(target instanceof Element)) return false;
  if (target.closest("input, select, textarea, #text-list")) return true;
  return Boolean(target.closest("button, summary, a")) && (key === "Enter" || key === " ");
}
