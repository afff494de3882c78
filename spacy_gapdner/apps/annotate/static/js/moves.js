/** Moves the word cursor. */

import { describe } from "./gestures.js";
import { covers } from "./mentions.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./types.js").Range} Range */

/** @param {App} app @param {"left" | "right"} side @param {boolean} [marks] @param {boolean} [byCharacter] */
export function move(app, side, marks = false, byCharacter = false) {
  const { cursor } = app.session;
  const isForward = (side === "right") === (app.view.directionAt(cursor.head[0]) === "ltr");
  if (byCharacter) cursor.byCharacter(isForward ? 1 : -1, marks);
  else cursor.byWord(isForward ? 1 : -1, marks);
  moved(app);
}

/** @param {App} app @param {1 | -1} step @param {boolean} marks */
export function moveLine(app, step, marks) {
  go(app, app.view.onNextLine(app.session.cursor.head[0], step), marks);
}

/** @param {App} app @param {1 | -1} step @param {boolean} marks */
export function movePage(app, step, marks) {
  go(app, app.view.onNextPage(app.session.cursor.head[0], step), marks);
}

/** To the first or last word of the line. @param {App} app @param {1 | -1} step @param {boolean} marks */
export function moveToEdge(app, step, marks) {
  go(app, app.view.onEdge(app.session.cursor.head[0], step), marks);
}

/** To the first or last word of the text. @param {App} app @param {1 | -1} step @param {boolean} marks */
export function moveToEnd(app, step, marks) {
  go(app, step > 0 ? app.session.text.length : 0, marks);
}

/** @param {App} app @param {number | null} offset @param {boolean} marks */
function go(app, offset, marks) {
  const { cursor } = app.session;
  if (offset !== null) cursor.go(cursor.tokenAt(offset), marks);
  moved(app);
}

/** @param {App} app */
function moved(app) {
  const { session } = app;
  const { cursor, items, text } = session;
  cursor.isMoved = true;
  app.showCursor();
  const here = items
    .filter((item) => covers(item.fragments, cursor.head))
    .map((item) => describe(item, session));
  app.say([`“${text.slice(...cursor.range)}”`, ...here].join(" "));
}
