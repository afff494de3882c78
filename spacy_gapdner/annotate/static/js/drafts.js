/** What is not saved yet, kept in the browser: neither a killed server nor a closed window loses it. */

/** @typedef {import("./types.js").Body & {size: number}} Draft with the length of its text */

export class Drafts {
  /** @param {string} place names the folder that is written to */
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
