/** Keeps unsaved changes in the browser, in case the server or the window is closed, and settings. */

import { find } from "./dom.js";

/** @typedef {import("./types.js").Body & {size: number}} Draft with the length of its text */

export class Drafts {
  /** @param {string} place identifies the folder and the annotator */
  constructor(place) {
    this.place = `annotate ${place} `;
  }

  /** @param {string} id @param {Draft} body */
  keep(id, body) {
    attempt(() => localStorage.setItem(this.place + id, JSON.stringify(body)));
  }

  /** @param {string} id */
  drop(id) {
    attempt(() => localStorage.removeItem(this.place + id));
  }

  /** @param {string} id @returns {Draft | null} */
  find(id) {
    return JSON.parse(attempt(() => localStorage.getItem(this.place + id)) ?? "null");
  }
}

/** @param {string} id @returns {HTMLSelectElement} a setting that is the same in the next session */
export function rememberedSelect(id) {
  const select = find(id, HTMLSelectElement);
  const place = `annotate ${id}`;
  select.value = attempt(() => localStorage.getItem(place)) ?? select.value;
  select.addEventListener("change", () => attempt(() => localStorage.setItem(place, select.value)));
  return select;
}

/**
 * Saving on the server must not depend on the storage of the browser, which can be full or blocked.
 * @template T
 * @param {() => T} action
 * @returns {T | undefined}
 */
export function attempt(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}
