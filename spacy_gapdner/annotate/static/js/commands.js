/** The one table of keys: the keyboard, the buttons and the help sheet come from it. */

/** @typedef {import("./app.js").App} App */
/**
 * @typedef {object} Command
 * @property {string} name that buttons have as `data-command`
 * @property {string[]} keys as `keyOf` writes them
 * @property {string} help
 * @property {(app: App) => unknown} run
 */

/** @type {Record<string, Command[]>} */
export const COMMANDS = {
  "Words and entities": [
    { name: "left", keys: ["ArrowLeft"], help: "word to the left", run: (app) => app.move("left") },
    { name: "right", keys: ["ArrowRight"], help: "word to the right", run: (app) => app.move("right") },
    { name: "up", keys: ["ArrowUp"], help: "line above", run: (app) => app.moveLine(-1) },
    { name: "down", keys: ["ArrowDown"], help: "line below", run: (app) => app.moveLine(1) },
    { name: "mark-left", keys: ["Shift+ArrowLeft"], help: "mark words to the left", run: (app) => app.move("left", true) },
    { name: "mark-right", keys: ["Shift+ArrowRight"], help: "mark words to the right", run: (app) => app.move("right", true) },
    { name: "mark-up", keys: ["Shift+ArrowUp"], help: "mark up to the line above", run: (app) => app.moveLine(-1, true) },
    { name: "mark-down", keys: ["Shift+ArrowDown"], help: "mark down to the line below", run: (app) => app.moveLine(1, true) },
    { name: "character-left", keys: ["Alt+ArrowLeft"], help: "character to the left", run: (app) => app.move("left", false, true) },
    { name: "character-right", keys: ["Alt+ArrowRight"], help: "character to the right", run: (app) => app.move("right", false, true) },
    { name: "mark-character-left", keys: ["Alt+Shift+ArrowLeft"], help: "mark a character less, or to the left", run: (app) => app.move("left", true, true) },
    { name: "mark-character-right", keys: ["Alt+Shift+ArrowRight"], help: "mark a character more", run: (app) => app.move("right", true, true) },
    { name: "make", keys: ["Enter"], help: "make an entity from the marked words", run: (app) => app.gestures.make() },
    { name: "add", keys: ["+", "="], help: "add the marked words, or those dragged over next, to the entity", run: (app) => app.gestures.add() },
    { name: "remove-fragment", keys: ["Backspace"], help: "remove the last fragment", run: (app) => app.gestures.removeFragment() },
    { name: "delete", keys: ["Delete"], help: "delete the entity", run: (app) => app.gestures.remove() },
    { name: "split", keys: ["c"], help: "split a coordination: an entity for each part; words that all parts share are fragments of their own", run: (app) => app.gestures.split() },
    { name: "next-entity", keys: [" "], help: "next entity or proposal", run: (app) => app.gestures.step(1) },
    { name: "previous-entity", keys: ["Shift+ "], help: "previous entity or proposal", run: (app) => app.gestures.step(-1) },
    { name: "leave", keys: ["Escape"], help: "choose no entity, mark no words", run: (app) => app.leave() },
    { name: "undo", keys: ["Ctrl+z"], help: "undo", run: (app) => app.gestures.travel("undo") },
    { name: "redo", keys: ["Ctrl+Shift+z", "Ctrl+y"], help: "redo", run: (app) => app.gestures.travel("redo") },
  ],
  Proposals: [
    { name: "accept", keys: ["a"], help: "accept the proposal", run: (app) => app.gestures.accept() },
    { name: "reject", keys: ["r"], help: "reject the proposal", run: (app) => app.gestures.reject() },
    { name: "accept-all", keys: ["A"], help: "accept all proposals with at least this score", run: (app) => app.gestures.acceptAll() },
  ],
  Texts: [
    { name: "done", keys: ["d"], help: "mark as done and go to the next new text", run: (app) => app.finish("done") },
    { name: "skip", keys: ["s"], help: "skip this text", run: (app) => app.finish("skipped") },
    { name: "doubt", keys: ["q"], help: "mark as doubtful, to be reviewed", run: (app) => app.finish("doubtful") },
    { name: "next", keys: ["n"], help: "next text", run: (app) => app.turn(1) },
    { name: "previous", keys: ["p"], help: "text before", run: (app) => app.turn(-1) },
    { name: "search", keys: ["/"], help: "search the list of texts", run: (app) => app.search() },
    { name: "help", keys: ["?"], help: "this sheet", run: (app) => app.help() },
  ],
};

/** By mouse: what no key stands for. */
export const BY_MOUSE = [
  ["Drag", "make an entity of words; with Alt, of characters"],
  ["Double click", "make an entity of one word"],
  ["Shift+drag", "add words to the entity, or take them out of it"],
  ["Click", "choose an entity; again: the next one at this word"],
];

const ALL = Object.values(COMMANDS).flat();
const NAMES = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

/** @param {KeyboardEvent} event @returns {string} "Ctrl+Shift+z", "A", "Shift+ArrowLeft" */
export function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  const isHeld = ctrlKey || metaKey;
  // the shift of "A" and "?" is in the character
  const isShifted = shiftKey && (key.length > 1 || key === " " || isHeld);
  const name = isHeld ? key.toLowerCase() : key;
  return [isHeld && "Ctrl", altKey && "Alt", isShifted && "Shift", name].filter(Boolean).join("+");
}

/** @param {string} key @returns {Command | undefined} */
export const commandOf = (key) => ALL.find(({ keys }) => keys.includes(key));

/** @param {string} name @returns {Command | undefined} */
export const commandNamed = (name) => ALL.find((command) => command.name === name);

/** @param {string} key @returns {string} as people call it */
export const nameOf = (key) => key.replace(/ $|Arrow\w+|Escape/, (name) => /** @type {any} */ (NAMES)[name]);
