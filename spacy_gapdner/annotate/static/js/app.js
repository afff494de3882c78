/** The page: the open text, the list of texts, and what is shown of both. */

import { api } from "./api.js";
import { commandOf } from "./commands.js";
import { settleConflict } from "./conflict.js";
import { find } from "./dom.js";
import { Drafts } from "./drafts.js";
import { describe, Gestures, isProposal } from "./gestures.js";
import { showHelp } from "./help.js";
import { addColors, listLabels } from "./labels.js";
import { covers, wording } from "./mentions.js";
import { drawPanel } from "./panel.js";
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

export class App {
  /** @param {import("./types.js").Project} project */
  constructor(project) {
    this.project = project;
    // keys of commands stay theirs
    for (const label of project.labels) if (label.key && commandOf(label.key)) label.key = null;
    /** @type {Session | null} */
    this.open_ = null;
    /** @type {Map<string, Session>} texts whose changes can still be undone */
    this.sessions = new Map();
    this.drafts = new Drafts(`${project.name} ${project.writes} ${project.annotator}`);
    /** @type {string | null} the type of new entities */
    this.label = project.labels[0]?.name ?? null;
    this.isAdding = false;
    /** called when a text is done, skipped or doubtful, and that is saved */
    this.onFinished = () => {};
    this.gestures = new Gestures(this);
    this.styleOf = addColors(project.labels);
    this.showLabel = listLabels(project.labels, this.styleOf, (label) =>
      this.gestures.setLabel(label),
    );
    this.list = new TextList((id) => this.goTo(id));
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

  /** @returns {Range | null} what is marked by keys, or by a finger */
  get marked() {
    const { cursor } = this.session;
    return cursor.isMarking ? cursor.range : this.view.selection();
  }

  /** @returns {boolean} whether something is not in its file yet */
  get isUnsaved() {
    return [...this.sessions.values()].some(({ saver }) => saver.state !== "saved");
  }

  /** @returns {import("./types.js").Proposal[]} those from the chosen score on, or that nobody contradicts */
  sureProposals() {
    const { session, score } = this;
    return session.proposals.filter((p) =>
      p.score === null ? !session.rivals(p).length : p.score >= score.valueAsNumber,
    );
  }

  /** @returns {string} the text that the address names, or nothing */
  get named() {
    return decodeURIComponent(location.hash.slice(1));
  }

  /** Open the text that the address names, or else the first new one. */
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
    // one that could not be opened may be there by now
    else if (id === this.named) void this.open(id);
    // before it is here, so that the next key goes on from it
    this.list.setCurrent(id);
    location.hash = encodeURIComponent(id);
  }

  /** @param {string} id */
  async open(id) {
    // so that loading the page again comes back here
    if (this.named !== id) history.replaceState(null, "", `#${encodeURIComponent(id)}`);
    try {
      const text = await api.text(id);
      // another one was asked for meanwhile
      if (this.named !== id) return;
      if (this.open_?.id !== id) this.say("");
      this.#show(this.#sessionOf(text));
    } catch (error) {
      if (this.named !== id) return;
      this.#turnTo(id, null);
      this.say(`${id} cannot be opened: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** @param {Text} text @returns {Session} that with its history, if the file is as we left it */
  #sessionOf(text) {
    const known = this.sessions.get(text.id);
    if (known && (known.version === text.version || known.saver.state !== "saved")) return known;
    const session = new Session(text, this.drafts, {
      changed: () => this.draw(),
      finished: () => this.onFinished(),
      say: (message) => this.say(message),
      conflict: (own, current) => void this.#settle(own, current),
    });
    this.sessions.set(text.id, session);
    const draft = this.drafts.find(text.id);
    if (draft && draft.size === session.text.length) {
      session.restore(draft);
      this.say("Restored what could not be saved before.");
    }
    return session;
  }

  /** @param {Session} session @param {Text} current what the file holds now */
  async #settle(session, current) {
    if (current.text === session.text) return settleConflict(session, current, this.styleOf);
    this.#forget(session);
    this.say(
      `The text ${session.id} itself was changed: this is how it is now, without the last change.`,
    );
  }

  /** The text is another one: offsets mean nothing any more. @param {Session} session */
  #forget(session) {
    this.sessions.delete(session.id);
    this.drafts.drop(session.id);
    if (session === this.open_) void this.open(session.id);
  }

  /** @param {string} id @param {Session | null} session none if it cannot be opened */
  #turnTo(id, session) {
    this.open_ = session;
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
    session.selected = null;
    this.#turnTo(session.id, session);
    this.draw();
    this.showCursor();
    void session.propose().catch((error) => this.say(`No proposals: ${error.message}`));
  }

  /** The file may have changed while the window was away. */
  async refresh() {
    const session = this.open_;
    if (!session || session.saver.state !== "saved") return;
    const current = await api.text(session.id).catch(() => null);
    if (!current || session.saver.state !== "saved" || current.version === session.version) return;
    if (current.text === session.text) session.reload(current);
    else this.#forget(session);
    this.say("The file was changed elsewhere: this is how it is now.");
  }

  /** Draw what changed. */
  draw() {
    this.#showSaving();
    const session = this.open_;
    if (!session) return;
    // proposals below, so that entities stay where they are
    const items = [...inText(session.content.entities), ...inText(session.proposals)];
    this.view.draw(items.map((item) => this.#bar(session, item)));
    this.view.showCursor(session.cursor.head, false);
    // new bars have taken away what shows it
    if (session.cursor.isMarking) this.view.mark(session.cursor.range);
    drawPanel(this);
    this.showLabel(session.chosen?.label ?? this.label);
    this.list.setStatus(session.id, session.status);
    for (const name of ["done", "skip", "doubt"]) {
      const button = /** @type {HTMLElement} */ (
        document.querySelector(`[data-command="${name}"]`)
      );
      button.ariaPressed = String(button.dataset.status === session.status);
    }
    const n = session.proposals.length;
    // people give no scores
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
    find("retry", HTMLButtonElement).hidden = state !== "failed" && state !== "refused";
  }

  /** Save now what could not be saved. */
  retry() {
    for (const { saver } of this.sessions.values()) if (saver.state !== "saved") saver.retry();
  }

  /** @param {string} message shown, and read out by screen readers */
  say(message) {
    find("said", HTMLElement).textContent = message;
  }

  /** Keys go to the text. */
  focusText() {
    this.box.focus({ preventScroll: true });
  }

  /** Bring the cursor into sight, and show what is marked. */
  showCursor() {
    const { cursor } = this.session;
    this.view.showCursor(cursor.head, true);
    this.view.mark(cursor.isMarking ? cursor.range : null);
  }

  /** @param {"left" | "right"} side @param {boolean} [marks] @param {boolean} [byCharacter] */
  move(side, marks = false, byCharacter = false) {
    const step =
      (side === "right") === (this.view.directionAt(this.session.cursor.head[0]) === "ltr")
        ? 1
        : -1;
    const { cursor } = this.session;
    if (byCharacter) cursor.byCharacter(step, marks);
    else cursor.byWord(step, marks);
    this.#moved();
  }

  /** @param {1 | -1} step @param {boolean} [marks] */
  moveLine(step, marks = false) {
    const { cursor } = this.session;
    const offset = this.view.onNextLine(cursor.head[0], step);
    if (offset !== null) cursor.go(cursor.tokenAt(offset), marks);
    this.#moved();
  }

  #moved() {
    const { cursor, items, text } = this.session;
    cursor.isMoved = true;
    this.showCursor();
    const here = items
      .filter((item) => covers(item.fragments, cursor.head))
      .map((item) => describe(item, this.session));
    this.say([`“${text.slice(...cursor.range)}”`, ...here].join(" "));
  }

  /** Choose no entity, mark no words. */
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
    // the next text is on its way: this key is not for the one before
    if (this.list.current !== this.open_?.id) return;
    this.session.setStatus(status);
    const next = this.list.nextNew();
    if (next) this.goTo(next);
    else this.say("No new text is left.");
  }

  /** @param {1 | -1} step */
  turn(step) {
    const id = this.list.neighbor(step);
    if (id) this.goTo(id);
    else this.say(step > 0 ? "This is the last text." : "This is the first text.");
  }

  search() {
    this.list.search();
  }

  help() {
    showHelp();
  }
}
