/** The progress of annotation, and of training in the background. */

import { api } from "./api.js";
import { counted, find } from "./dom.js";

const PAUSE = 4000;

export class ProgressBar {
  /**
   * @param {(message: string) => void} say
   * @param {() => void} onModel called when the model was replaced
   */
  constructor(say, onModel) {
    this.say = say;
    this.onModel = onModel;
    /** @type {number | null} */
    this.version = null;
    /** @type {string | null} the result of the last training */
    this.message = null;
    this.timer = 0;
    for (const name of /** @type {const} */ (["train", "back"]))
      find(name, HTMLButtonElement).addEventListener("click", async () => {
        await api[name]().catch((error) => say(error.message));
        void this.ask();
      });
  }

  /** Update now and every few seconds. */
  async ask() {
    clearTimeout(this.timer);
    if (!document.hidden)
      await api
        .state()
        .then((state) => this.#show(state))
        .catch(() => {});
    this.timer = setTimeout(() => this.ask(), PAUSE);
  }

  /** @param {import("./types.js").Progress} state */
  #show(state) {
    const { done, total, model, training } = state;
    const bar = find("progress", HTMLProgressElement);
    [bar.max, bar.value] = [Math.max(total, 1), done];
    find("progress-text", HTMLElement).textContent = `${done.toLocaleString("en")} of ${total.toLocaleString("en")} done`;
    const isRunning = training.state === "running";
    find("models", HTMLElement).hidden = !model;
    find("model", HTMLElement).textContent = `${model}${this.#training(state)}`;
    find("train", HTMLButtonElement).disabled = isRunning || state.requirement !== "";
    const back = find("back", HTMLButtonElement);
    back.hidden = !state.has_previous;
    back.disabled = isRunning;
    if (this.version !== null && state.model_version !== this.version) this.onModel();
    if (this.message !== null && training.message !== this.message) this.say(training.message);
    this.version = state.model_version;
    this.message = training.message;
  }

  /** @param {import("./types.js").Progress} state @returns {string} */
  #training({ training, requirement, retrain_after: after, done_since: since }) {
    if (training.state === "running") return ` · training on ${counted(training.texts, "text")}`;
    const left =
      after && !requirement ? ` · ${counted(Math.max(after - since, 0), "text")} until retraining` : "";
    const failed = training.state === "failed" ? "Training failed: " : "";
    const lines = [requirement, training.message && `${failed}${training.message}`];
    return [left, ...lines.filter(Boolean)].join("\n");
  }
}
