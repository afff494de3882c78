/**
 * Saves one text, one request at a time: what changes while one is on its way goes with the next, so
 * that no save overtakes another. A failed one is tried again until it succeeds.
 */

import { Refused } from "./api.js";

/** @typedef {"saved" | "saving" | "failed" | "refused" | "conflict"} SaveState */

const LONGEST_WAIT = 15_000;

export class Saver {
  /**
   * @param {object} how
   * @param {() => Promise<void>} how.send sends what is there now, and takes in the answer
   * @param {(state: SaveState, message: string) => void} how.report
   * @param {(current: import("./types.js").Text) => void} how.conflict somebody else changed the file
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

  /** Save what is there, soon. */
  ask() {
    this.isDirty = true;
    if (this.state !== "conflict") this.retry();
  }

  /** Save now what could not be saved before. */
  retry() {
    clearTimeout(this.timer);
    if (!this.isRunning) void this.#run();
  }

  /** The conflict is settled: the next save counts again. */
  settle() {
    this.#tell("saved");
  }

  async #run() {
    this.isRunning = true;
    try {
      while (this.isDirty) {
        this.isDirty = false;
        this.#tell("saving");
        await this.send();
        this.wait = 500;
      }
      this.#tell("saved");
    } catch (error) {
      this.isDirty = true;
      this.#fail(error);
    } finally {
      this.isRunning = false;
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    if (error instanceof Refused && error.status === 409) {
      this.#tell("conflict", error.message);
      this.conflict(error.answer.current);
    } else if (error instanceof Refused && error.status < 500) {
      this.#tell("refused", error.message);
    } else {
      const reason = error instanceof Refused ? error.message : "The server does not answer.";
      this.#tell("failed", reason);
      this.timer = setTimeout(() => this.retry(), this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    }
  }

  /** @param {SaveState} state @param {string} [message] */
  #tell(state, message = "") {
    this.state = state;
    this.message = message;
    this.report(state, message);
  }
}
