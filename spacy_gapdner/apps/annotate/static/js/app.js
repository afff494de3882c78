/** The page with the open text and the list of texts. */

import { api, Refused } from "./api.js";
import { resolveConflict } from "./conflict.js";
import { find } from "./dom.js";
import { Drafts, rememberedSelect } from "./drafts.js";
import { Finder } from "./finder.js";
import { Gestures, isProposal } from "./gestures.js";
import { showHelp } from "./help.js";
import { addColors, listLabels } from "./labels.js";
import { joined, wording } from "./mentions.js";
import { buttonOf, drawPanel } from "./panel.js";
import { listen } from "./pointer.js";
import { inText, Session } from "./session.js";
import { TextList } from "./text-list.js";
import { TextView } from "./text-view.js";

/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./types.js").Text} Text */

const SAVED = {
  saved: "Saved",
  saving: "Saving …",
  failed: "Not saved",
  refused: "Not saved",
  conflict: "Conflict",
};

const PROCESSING = "The model is processing this text …";

export class App {
  /** @param {import("./types.js").Project} project */
  constructor(project) {
    this.project = project;
    /** @type {Session | null} */
    this.open_ = null;
    /** @type {Map<string, Session>} opened texts with their undo history */
    this.sessions = new Map();
    this.drafts = new Drafts(`${project.name} ${project.writes} ${project.annotator}`);
    /** @type {string | null} the type of new entities */
    this.label = project.labels[0]?.name ?? null;
    this.isAdding = false;
    /** the id of a text that could not be opened, because the server did not respond */
    this.unreached = "";
    this.typeOrder = rememberedSelect("type-order");
    /** @type {Record<string, number>} the texts of the entities in the folder, with their numbers */
    this.knownPhrases = {};
    /** called when a new status of a text is saved */
    this.onFinished = () => {};
    this.gestures = new Gestures(this);
    this.finder = new Finder(this);
    this.styleOf = addColors(project.labels);
    this.showLabel = listLabels(project.labels, this.styleOf, (label) =>
      this.gestures.setLabel(label),
    );
    this.list = new TextList((id) => this.goTo(id), (message) => this.say(message));
    this.box = find("text", HTMLElement);
    this.view = new TextView(this.box);
    this.score = find("score", HTMLInputElement);
    this.score.addEventListener("input", () => this.draw());
    listen(this.box, this.view, {
      tokenAt: (offset) => this.session.cursor.tokenAt(offset),
      drag: (range) => this.view.mark(range),
      mark: (range, adds) => this.gestures.mark(range, adds),
      click: (at, key) => this.gestures.click(at, key),
      doubleClick: (at) => this.gestures.mark(at, false),
    });
  }

  /** @returns {Session} */
  get session() {
    if (!this.open_) throw new Error("No text is open.");
    return this.open_;
  }

  /** @returns {Range | null} the words selected by keyboard or touch */
  get marked() {
    const { cursor } = this.session;
    return cursor.isMarking ? cursor.range : this.view.selection();
  }

  /** @returns {Record<string, number>} the texts of entities in the folder and in the opened texts */
  phrases() {
    const opened = [...this.sessions.values()].flatMap(({ content, text }) =>
      content.entities.map((entity) => [joined(entity.fragments, text).map((f) => text.slice(...f)).join(" "), 1]),
    );
    return { ...Object.fromEntries(opened), ...this.knownPhrases };
  }

  /** @returns {boolean} whether there are unsaved changes */
  get isUnsaved() {
    return [...this.sessions.values()].some(({ saver }) => saver.state !== "saved");
  }

  /** @returns {import("./types.js").Proposal[]} proposals with at least the selected score, or without a contradiction */
  sureProposals() {
    const { session, score } = this;
    return session.proposals.filter((p) =>
      p.score === null
        ? !session.rivals(p).length
        : // as it is shown
          Number(p.score.toFixed(2)) >= score.valueAsNumber,
    );
  }

  /** @returns {string} the id of the text in the address, or an empty string */
  get named() {
    return decodeURIComponent(location.hash.slice(1));
  }

  /** Open the text in the address, or the first new text. */
  async openNamed() {
    const { named } = this;
    const { texts } = this.list;
    const chosen =
      texts.find(({ id }) => id === named) ??
      texts.find(({ status }) => status === "new") ??
      texts[0];
    if (!chosen) this.say("There are no texts in this folder.");
    else if (chosen.id !== this.open_?.id) await this.open(chosen.id);
    // an old link
    if (this.open_ && named && named !== chosen?.id) this.say(`There is no text ${named}.`);
  }

  /** @param {string} id */
  goTo(id) {
    this.list.hide();
    if (id === this.open_?.id) this.focusText();
    // try again if the text could not be opened
    else if (id === this.named) void this.open(id);
    // before the text is loaded, so that the next key continues from it
    this.list.setCurrent(id);
    location.hash = encodeURIComponent(id);
  }

  /** @param {string} id */
  async open(id) {
    // so that reloading the page opens this text again
    if (this.named !== id) history.replaceState(null, "", `#${encodeURIComponent(id)}`);
    try {
      const text = await api.text(id);
      // another text was requested in the meantime
      if (this.named !== id) return;
      if (this.open_?.id !== id) this.say("");
      this.#show(this.#sessionOf(text));
    } catch (error) {
      if (this.named !== id) return;
      if (this.open_ && !(error instanceof Refused)) return this.#stay(id);
      this.#turnTo(id, null);
      this.say(`${id} cannot be opened: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** The server is gone: the open text, which may have unsaved changes, stays. @param {string} id */
  #stay(id) {
    this.unreached = id;
    const stays = this.session.id;
    history.replaceState(null, "", `#${encodeURIComponent(stays)}`);
    this.list.setCurrent(stays);
    this.draw();
  }

  /** @param {Text} text @returns {Session} the known session with its history if the file is unchanged */
  #sessionOf(text) {
    const known = this.sessions.get(text.id);
    if (known && (known.version === text.version || known.saver.state !== "saved")) return known;
    const session = new Session(text, this.drafts, {
      changed: () => this.draw(),
      finished: () => this.onFinished(),
      say: (message) => this.say(message),
      conflict: (own, current) => void this.#resolve(own, current),
    });
    this.sessions.set(text.id, session);
    const draft = this.drafts.find(text.id);
    if (draft && draft.size === session.text.length) {
      session.restore(draft);
      this.say("Unsaved changes were restored.");
    }
    return session;
  }

  /** @param {Session} session @param {Text} current the current content of the file */
  async #resolve(session, current) {
    if (current.text === session.text) {
      const isKept = await resolveConflict(session, current, this.styleOf);
      return this.say(isKept ? "" : "Your changes were discarded.");
    }
    this.#forget(session);
    this.say(
      `The text of ${session.id} was changed. It is shown without your last change.`,
    );
  }

  /** Forget a session whose text was changed, because its offsets are invalid. @param {Session} session */
  #forget(session) {
    this.sessions.delete(session.id);
    this.drafts.drop(session.id);
    if (session === this.open_) void this.open(session.id);
  }

  /** @param {string} id @param {Session | null} session null if it cannot be opened */
  #turnTo(id, session) {
    this.open_ = session;
    this.unreached = "";
    this.isAdding = false;
    document.body.classList.toggle("unopened", !session);
    this.box.lang = "";
    this.view.show(session?.text ?? "", session?.blocks ?? [], session?.direction ?? "ltr");
    find("text-name", HTMLElement).textContent = id;
    document.title = `${id} – ${this.project.name}`;
    this.list.setCurrent(id);
    this.focusText();
  }

  /** @param {Session} session */
  #show(session) {
    session.select(null);
    this.#turnTo(session.id, session);
    this.draw();
    this.showCursor();
    const said = find("said", HTMLElement);
    if (this.project.orders.includes("uncertain") && !said.textContent) this.say(PROCESSING);
    void session
      .propose()
      .then(() => session === this.open_ && said.textContent === PROCESSING && this.say(""))
      .catch((error) => this.say(`No proposals: ${error.message}`));
  }

  /** Reload the open text if its file was changed while the window was in the background. */
  async refresh() {
    const session = this.open_;
    if (!session || session.saver.state !== "saved") return;
    const current = await api.text(session.id).catch(() => null);
    if (!current || session.saver.state !== "saved" || current.version === session.version) return;
    if (current.text === session.text) session.reload(current);
    else this.#forget(session);
    this.say("The file was changed elsewhere. Its new content is shown.");
  }

  /** Draw what changed. */
  draw() {
    this.#showSaving();
    const session = this.open_;
    if (!session) return;
    // proposals are drawn below entities, so that entities do not move
    const items = [...inText(session.content.entities), ...inText(session.proposals)];
    this.view.draw(items.map((item) => this.#bar(session, item)));
    this.view.showCursor(session.cursor.head, false);
    // drawing removes the selection
    if (session.cursor.isMarking) this.view.mark(session.cursor.range);
    drawPanel(this);
    this.showLabel(this.label);
    this.list.setStatus(session.id, session.status);
    for (const name of ["done", "skip", "doubt"]) {
      const button = buttonOf(name);
      button.ariaPressed = String(button.dataset.status === session.status);
    }
    const n = session.proposals.length;
    // disagreements have no scores
    find("scores", HTMLElement).hidden = session.proposals.every(({ score }) => score === null);
    find("proposals", HTMLElement).hidden = !n;
    find("score-value", HTMLOutputElement).value = this.score.valueAsNumber.toFixed(2);
    find("n-sure", HTMLElement).textContent = `${this.sureProposals().length} of ${n}`;
  }

  /** @param {Session} session @param {import("./types.js").Entity | import("./types.js").Proposal} item @returns {import("./drawing.js").Bar} */
  #bar(session, item) {
    const { key, label, fragments } = item;
    const score = isProposal(item) && item.score !== null ? item.score.toFixed(2) : "";
    const source = isProposal(item) && item.source !== "model" ? item.source : "";
    return {
      key,
      label,
      fragments,
      note: [source, score].filter(Boolean).join(" "),
      text: wording(item, session.text),
      style: this.styleOf(label),
      isProposal: isProposal(item),
      isSelected: key === session.selected,
      isWarned: Boolean(session.remarks.get(key)?.warnings.length),
    };
  }

  #showSaving() {
    const open = [...this.sessions.values()].filter(({ saver }) => saver.state !== "saved");
    const saver = (open.find((session) => session.saver.state !== "saving") ?? open[0])?.saver;
    const state = saver?.state ?? "saved";
    const box = find("saving", HTMLElement);
    box.className = state;
    find("saving-text", HTMLElement).textContent = [SAVED[state], saver?.message]
      .filter(Boolean)
      .join(": ");
    const lost = [
      state === "failed" && `Not saved: ${saver?.message} Your changes are kept in this browser.`,
      state === "refused" && `Not saved: ${saver?.message}`,
      this.unreached && `${this.unreached} cannot be opened: The server does not respond.`,
    ];
    find("problem", HTMLElement).hidden = !lost.some(Boolean);
    find("problem-text", HTMLElement).textContent = lost.filter(Boolean).join(" ");
  }

  /** Save all unsaved changes now, and open the text that could not be opened. */
  retry() {
    const { unreached } = this;
    this.unreached = "";
    if (unreached) this.goTo(unreached);
    this.draw();
    for (const { saver } of this.sessions.values()) if (saver.state !== "saved") saver.retry();
  }

  /** @param {string} message shown, and read by screen readers */
  say(message) {
    find("said", HTMLElement).textContent = message;
  }

  /** Move the keyboard focus to the text. */
  focusText() {
    this.box.focus({ preventScroll: true });
  }

  /** Scroll to the cursor and show the selected words. */
  showCursor() {
    const { cursor } = this.session;
    this.view.showCursor(cursor.head, true);
    this.view.mark(cursor.isMarking ? cursor.range : null);
  }

  /** Clear the selection. */
  leave() {
    const { isOver } = this.list;
    this.list.hide();
    this.focusText();
    if (isOver || !this.open_) return;
    this.session.cursor.go(this.session.cursor.head);
    this.showCursor();
    this.gestures.select(null);
    this.say("");
  }

  /** @param {import("./types.js").Status} status */
  finish(status) {
    // while the next text is loading, the key is not meant for the previous one
    if (this.list.current !== this.open_?.id) return;
    const isUndone = this.session.status === status;
    const next = this.list.nextOpen();
    this.session.change({ status: isUndone ? "new" : status });
    if (isUndone) this.say("This text is new again.");
    else if (next) this.goTo(next);
    else this.say(this.list.filter.value ? "There are no more texts in this list." : "There are no more new texts.");
  }

  /** @param {1 | -1} step */
  turn(step) {
    const id = this.list.neighbor(step);
    if (id) this.goTo(id);
    else this.say(step > 0 ? "This is the last text." : "This is the first text.");
  }

  help() {
    showHelp();
  }
}
