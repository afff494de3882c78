/**
 * Saves a text with one request at a time. Changes during a request are saved with the next one. Failed
 * requests are repeated until they succeed.
 */

import { Refused } from "./api.js";

/** @typedef {"saved" | "saving" | "failed" | "refused" | "conflict"} SaveState */

const LONGEST_WAIT = 15_000;

export class Saver {
  /**
   * @param {object} how
   * @param {() => Promise<void>} how.send saves the current content and processes the response
   * @param {(state: SaveState, message: string) => void} how.report
   * @param {(current: import("./types.js").Text) => void} how.conflict called if the file was changed by someone else
   */
  constructor({ send, report, conflict }) {
    this.send = send;
    this.report = report;
    this.conflict = conflict;
    /** @type {SaveState} */
    this.state = "saved";
    this.message = "";
    this.isDirty = false;
    this.isRunning = false;
    this.wait = 500;
    this.timer = 0;
  }

  /** Save the current content soon. */
  ask() {
    this.isDirty = true;
    if (this.state !== "conflict") this.retry();
  }

  /** Save unsaved changes now. */
  retry() {
    clearTimeout(this.timer);
    if (!this.isRunning) void this.#run();
  }

  /** Continue to save after a conflict. */
  resume() {
    this.#setState("saved");
  }

  async #run() {
    this.isRunning = true;
    try {
      while (this.isDirty) {
        this.isDirty = false;
        this.#setState("saving");
        await this.send();
        this.wait = 500;
      }
      this.isRunning = false;
      this.#setState("saved");
    } catch (error) {
      this.isDirty = true;
      // before the conflict is reported, because resolving it can save again
      this.isRunning = false;
      this.#fail(error);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    if (error instanceof Refused && error.status === 409) {
      this.#setState("conflict", error.message);
      this.conflict(error.answer.current);
    } else if (error instanceof Refused && error.status < 500) {
      this.#setState("refused", error.message);
    } else {
      const reason = error instanceof Refused ? error.message : "The server does not respond.";
      this.#setState("failed", reason);
      this.timer = setTimeout(() => this.retry(), this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    }
  }

  /** @param {SaveState} state @param {string} [message] */
  #setState(state, message = "") {
    this.state = state;
    this.message = message;
    this.report(state, message);
  }
}
