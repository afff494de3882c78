/** Drags and clicks on the text. */

import { union } from "./cursor.js";

/** @typedef {import("./types.js").Range} Range */
/**
 * @typedef {object} Actions
 * @property {(offset: number) => Range} tokenAt
 * @property {(range: Range) => void} drag called with the words under a drag
 * @property {(range: Range, adds: boolean) => void} mark
 * @property {(at: Range, key: number | null) => void} click
 * @property {(at: Range) => void} doubleClick
 */

const EDGE = 24;
const DOUBLE = 400;

/**
 * @param {HTMLElement} container
 * @param {import("./text-view.js").TextView} view
 * @param {Actions} on
 */
export function listen(container, view, on) {
  /** @type {{x: number, y: number, first: Range, range: Range, moved: boolean} | null} */
  let drag = null;
  // the browser does not detect a double click if the first click redraws the word
  let last = { time: -DOUBLE, at: -1 };

  /** @param {MouseEvent} event @returns {Range | null} a word, or with Alt a position between two characters */
  function rangeAt(event) {
    const at = view.at(event.clientX, event.clientY);
    if (!at) return null;
    return event.altKey ? [at.offset, at.offset] : on.tokenAt(Number(at.word.dataset.start));
  }

  // touch scrolls and selects as usual in the browser
  container.addEventListener("pointerdown", (event) => {
    const first = event.button === 0 && event.pointerType !== "touch" && rangeAt(event);
    if (!first) return;
    drag = { x: event.clientX, y: event.clientY, first, range: first, moved: false };
    container.setPointerCapture(event.pointerId);
  });
  // prevent the selection by the browser
  container.addEventListener("mousedown", (event) => {
    if (!drag) return;
    event.preventDefault();
    container.focus({ preventScroll: true });
  });
  container.addEventListener("pointermove", (event) => {
    if (!drag) return;
    drag.moved ||= Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 4;
    if (!drag.moved) return;
    const box = container.getBoundingClientRect();
    if (event.clientY < box.top + EDGE) container.scrollBy(0, -EDGE);
    if (event.clientY > box.bottom - EDGE) container.scrollBy(0, EDGE);
    drag.range = union(drag.first, rangeAt(event) ?? drag.range);
    on.drag(drag.range);
  });
  container.addEventListener("pointerup", (event) => {
    if (!drag) return;
    const { first, range, moved } = drag;
    const isSecond = event.timeStamp - last.time < DOUBLE && first[0] === last.at;
    drag = null;
    last = { time: moved || event.shiftKey ? -DOUBLE : event.timeStamp, at: first[0] };
    if (moved) on.mark(range, event.shiftKey);
    else if (event.shiftKey) on.mark(first, true);
    else if (isSecond) on.doubleClick(first);
    else on.click(first, view.at(event.clientX, event.clientY)?.key ?? null);
  });
  container.addEventListener("pointercancel", () => (drag = null));
  // a tap
  container.addEventListener("click", (event) => {
    if (/** @type {PointerEvent} */ (event).pointerType !== "touch") return;
    const at = view.at(event.clientX, event.clientY);
    if (at) on.click(on.tokenAt(Number(at.word.dataset.start)), at.key);
  });
}
