/** Unsaved changes, which are kept in the browser in case the server or the window is closed. */

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
