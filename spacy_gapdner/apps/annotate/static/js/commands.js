/** The commands with their keys. The keyboard, the buttons and the help use this table. */

import { find } from "./dom.js";
import { move, moveLine, movePage, moveToEdge, moveToEnd } from "./moves.js";

/** @typedef {import("./app.js").App} App */
/**
 * @typedef {object} Command
 * @property {string} name the `data-command` of its button
 * @property {string[]} keys in the format of `keyOf`
 * @property {string} help
 * @property {(app: App) => unknown} run
 */

/** @type {Record<string, Command[]>} */
export const COMMANDS = {
  "Words and entities": [
    { name: "left", keys: ["ArrowLeft"], help: "word to the left", run: (app) => move(app, "left") },
    { name: "right", keys: ["ArrowRight"], help: "word to the right", run: (app) => move(app, "right") },
    { name: "up", keys: ["ArrowUp"], help: "line above", run: (app) => moveLine(app, -1, false) },
    { name: "down", keys: ["ArrowDown"], help: "line below", run: (app) => moveLine(app, 1, false) },
    { name: "mark-left", keys: ["Shift+ArrowLeft"], help: "select words to the left", run: (app) => move(app, "left", true) },
    { name: "mark-right", keys: ["Shift+ArrowRight"], help: "select words to the right", run: (app) => move(app, "right", true) },
    { name: "mark-up", keys: ["Shift+ArrowUp"], help: "select up to the line above", run: (app) => moveLine(app, -1, true) },
    { name: "mark-down", keys: ["Shift+ArrowDown"], help: "select down to the line below", run: (app) => moveLine(app, 1, true) },
    { name: "character-left", keys: ["Alt+ArrowLeft"], help: "character to the left", run: (app) => move(app, "left", false, true) },
    { name: "character-right", keys: ["Alt+ArrowRight"], help: "character to the right", run: (app) => move(app, "right", false, true) },
    { name: "mark-character-left", keys: ["Alt+Shift+ArrowLeft"], help: "shorten the selection by a character, or extend it to the left", run: (app) => move(app, "left", true, true) },
    { name: "mark-character-right", keys: ["Alt+Shift+ArrowRight"], help: "extend the selection by a character", run: (app) => move(app, "right", true, true) },
    ...longMove("page-up", "PageUp", "page above", (app, marks) => movePage(app, -1, marks)),
    ...longMove("page-down", "PageDown", "page below", (app, marks) => movePage(app, 1, marks)),
    ...longMove("line-start", "Home", "start of the line", (app, marks) => moveToEdge(app, -1, marks)),
    ...longMove("line-end", "End", "end of the line", (app, marks) => moveToEdge(app, 1, marks)),
    ...longMove("text-start", "Ctrl+home", "start of the text", (app, marks) => moveToEnd(app, -1, marks)),
    ...longMove("text-end", "Ctrl+end", "end of the text", (app, marks) => moveToEnd(app, 1, marks)),
    { name: "find", keys: ["Ctrl+f"], help: "find words in this text", run: (app) => app.finder.open() },
    { name: "make", keys: ["Enter"], help: "create an entity from the selected words", run: (app) => app.gestures.make() },
    { name: "add", keys: ["+", "="], help: "add the selected words, or the words you drag over next, to the entity", run: (app) => app.gestures.add() },
    { name: "remove-fragment", keys: ["Backspace"], help: "remove the last fragment", run: (app) => app.gestures.removeFragment() },
    { name: "delete", keys: ["Delete"], help: "delete the entity", run: (app) => app.gestures.remove() },
    { name: "split", keys: ["c"], help: "split a coordination into an entity for each part", run: (app) => app.gestures.split() },
    { name: "equal", keys: ["e"], help: "annotate, change or delete the same words elsewhere", run: (app) => app.gestures.equal() },
    { name: "next-entity", keys: [" "], help: "next entity or proposal", run: (app) => app.gestures.step(1) },
    { name: "previous-entity", keys: ["Shift+ "], help: "previous entity or proposal", run: (app) => app.gestures.step(-1) },
    { name: "leave", keys: ["Escape"], help: "clear the selection", run: (app) => app.leave() },
    { name: "undo", keys: ["Ctrl+z"], help: "undo", run: (app) => app.gestures.travel("undo") },
    { name: "redo", keys: ["Ctrl+Shift+z", "Ctrl+y"], help: "redo", run: (app) => app.gestures.travel("redo") },
  ],
  Proposals: [
    { name: "accept", keys: ["a"], help: "accept the proposal", run: (app) => app.gestures.accept() },
    { name: "reject", keys: ["r"], help: "reject the proposal", run: (app) => app.gestures.reject() },
    { name: "accept-all", keys: ["A"], help: "accept all proposals with at least this score", run: (app) => app.gestures.acceptAll() },
  ],
  Texts: [
    { name: "done", keys: ["d"], help: "mark as done and go to the next new text; again to take it back", run: (app) => app.finish("done") },
    { name: "skip", keys: ["s"], help: "skip this text", run: (app) => app.finish("skipped") },
    { name: "doubt", keys: ["q"], help: "mark as doubtful, to be reviewed", run: (app) => app.finish("doubtful") },
    { name: "next", keys: ["n"], help: "next text", run: (app) => app.turn(1) },
    { name: "previous", keys: ["p"], help: "previous text", run: (app) => app.turn(-1) },
    { name: "search", keys: ["/"], help: "search the names and texts", run: (app) => app.list.search() },
    { name: "types", keys: ["."], help: "search the types, if there are many", run: () => find("label-search", HTMLInputElement).focus() },
    { name: "help", keys: ["?"], help: "show this help", run: (app) => app.help() },
  ],
};

/**
 * @param {string} name
 * @param {string} key
 * @param {string} help
 * @param {(app: App, marks: boolean) => void} go
 * @returns {Command[]} the command, and with Shift the one that selects words
 */
function longMove(name, key, help, go) {
  const withShift = key.startsWith("Ctrl+") ? key.replace("Ctrl+", "Ctrl+Shift+") : `Shift+${key}`;
  return [
    { name, keys: [key], help, run: (app) => go(app, false) },
    { name: `mark-${name}`, keys: [withShift], help: `select up to the ${help}`, run: (app) => go(app, true) },
  ];
}

/** Mouse gestures. */
export const BY_MOUSE = [
  ["Drag", "create an entity from words, or from characters with Alt"],
  ["Double click", "create an entity from one word"],
  ["Shift+drag", "add words to the entity, or remove them"],
  ["Click", "select an entity; click again for the next entity at this word"],
];

const ALL = Object.values(COMMANDS).flat();
const NAMES = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", home: "Home", end: "End" };

/** @param {KeyboardEvent} event @returns {string} "Ctrl+Shift+z", "A", "Shift+ArrowLeft" */
export function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  const isHeld = ctrlKey || metaKey;
  // characters such as "A" and "?" already include Shift
  const isShifted = shiftKey && (key.length > 1 || key === " " || isHeld);
  const name = isHeld ? key.toLowerCase() : key;
  return [isHeld && "Ctrl", altKey && "Alt", isShifted && "Shift", name].filter(Boolean).join("+");
}

/** @param {string} key @returns {Command | undefined} */
export const commandOf = (key) => ALL.find(({ keys }) => keys.includes(key));

/** @param {string} name @returns {Command | undefined} */
export const commandNamed = (name) => ALL.find((command) => command.name === name);

/** @param {string} key @returns {string} the name of a key in the help */
export const nameOf = (key) => key.replace(/ $|Arrow\w+|Escape|home|end/, (name) => /** @type {any} */ (NAMES)[name]);
