/** Unsaved changes, which are kept in the browser in case the server or the window is closed. */

/** @typedef {import("./types.js").Body & {size: number}} Draft with the length of its text */

export class Drafts {
  /** @param {string} place identifies the folder and the annotator */
  constructor(place) {
    this.place = `annotate ${place} `;
  }

  /** @param {string} id @param {Draft} body */
  keep(id, body) {
    localStorage.setItem(this.place + id, JSON.stringify(body));
  }

  /** @param {string} id */
  drop(id) {
    localStorage.removeItem(this.place + id);
  }

  /** @param {string} id @returns {Draft | null} */
  find(id) {
    return JSON.parse(localStorage.getItem(this.place + id) ?? "null");
  }
}
