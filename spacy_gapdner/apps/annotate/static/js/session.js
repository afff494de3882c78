/** An open text with its entities, undo history, proposals and saving. */

import { api } from "./api.js";
import { makeBlocks } from "./blocks.js";
import { Cursor } from "./cursor.js";
import { directionOf } from "./directions.js";
import { History } from "./history.js";
import { extent, identity, isRival, joined } from "./mentions.js";
import { Offsets } from "./offsets.js";
import { Saver } from "./saving.js";

/** @typedef {import("./types.js").Entity} Entity */
/** @typedef {import("./types.js").Proposal} Proposal */
/** @typedef {import("./types.js").Content} Content */
/** @typedef {import("./types.js").Text} Text */
/** @typedef {import("./types.js").Body} Body */
/**
 * @typedef {object} Hooks
 * @property {() => void} changed called if the page must be redrawn
 * @property {() => void} finished called when a new status is saved
 * @property {(session: Session, current: Text) => void} conflict
 * @property {(message: string) => void} say
 */

let lastKey = 0;

export class Session {
  /**
   * @param {Text} text
   * @param {import("./drafts.js").Drafts} drafts
   * @param {Hooks} hooks
   */
  constructor(text, drafts, hooks) {
    this.id = text.id;
    this.text = text.text;
    this.direction = directionOf(text.text) ?? "ltr";
    this.drafts = drafts;
    this.hooks = hooks;
    this.offsets = new Offsets(text.text);
    const tokens = this.offsets.toUnits(text.tokens);
    this.tokens = tokens.filter(([start, end]) => this.text.slice(start, end).trim());
    this.blocks = makeBlocks(this.text, this.tokens, this.offsets.toUnits(text.sentences));
    this.cursor = new Cursor(this.text, this.tokens);
    /** @type {number | null} key of an entity or a proposal */
    this.selected = null;
    /** whether the user selected it, unlike an entity that was just created */
    this.isPicked = false;
    /** @type {Proposal[]} all proposals, including accepted and rejected ones */
    this.proposed = [];
    this.asked = 0;
    /** @type {Map<number, string>} the ids of entities in the file */
    this.ids = new Map();
    /** @type {Map<number, {notes: string[], warnings: string[]}>} */
    this.remarks = new Map();
    this.version = text.version;
    this.nHidden = text.n_hidden;
    this.savedStatus = text.status;
    this.history = new History(this.take(text));
    /** the last known content of the file */
    this.base = this.history.present;
    /** the last content that was sent, which may be saved although the response was lost */
    this.sent = this.base;
    this.saver = new Saver({
      send: () => this.#send(),
      report: () => hooks.changed(),
      conflict: (current) => this.#conflict(current),
    });
  }

  /** @returns {Content} */
  get content() {
    return this.history.present;
  }

  /** @returns {import("./types.js").Status} */
  get status() {
    return this.content.status;
  }

  /** @returns {Proposal[]} proposals that are neither accepted nor rejected */
  get proposals() {
    const known = new Set(
      [...this.content.entities, ...this.content.rejected].map((m) => this.identity(m)),
    );
    return this.proposed.filter((proposal) => !known.has(this.identity(proposal)));
  }

  /** @returns {(Entity | Proposal)[]} in text order */
  get items() {
    return inText([...this.content.entities, ...this.proposals]);
  }

  /** @returns {Entity | Proposal | undefined} */
  get chosen() {
    return this.items.find(({ key }) => key === this.selected);
  }

  /** @param {number | null} key @param {boolean} [isPicked] */
  select(key, isPicked = false) {
    this.isPicked = isPicked || (this.isPicked && key === this.selected);
    this.selected = key;
  }

  /** @param {import("./types.js").Mention} mention @returns {string} */
  identity(mention) {
    return identity(mention, this.text);
  }

  /** @param {import("./types.js").Mention} a @param {import("./types.js").Mention} b @returns {boolean} */
  hasSameWords(a, b) {
    return this.identity({ ...a, label: "" }) === this.identity({ ...b, label: "" });
  }

  /** @param {Partial<Content>} change @param {number | null} [selected] */
  change(change, selected = this.selected) {
    this.history.push({ ...this.content, ...change });
    this.select(selected);
    this.#save();
  }

  /** @param {import("./types.js").Mention} mention @returns {Entity} */
  entity({ label, fragments }) {
    return { key: (lastKey += 1), label, fragments };
  }

  /** @param {"undo" | "redo"} step @returns {boolean} */
  canTravel(step) {
    return (step === "undo" ? this.history.past : this.history.future).length > 0;
  }

  /** @param {"undo" | "redo"} step @returns {boolean} */
  travel(step) {
    if (!this.history.travel(step)) return false;
    if (!this.chosen) this.select(null);
    this.#save();
    return true;
  }

  /** @returns {Promise<void>} request the proposals again */
  async propose() {
    const asked = (this.asked += 1);
    const proposals = await api.proposals(this.id);
    // the response of the previous model may arrive late
    if (asked !== this.asked) return;
    const open = new Set(this.proposals.filter(({ key }) => key !== this.selected));
    // decisions may be undone, and the selected proposal is in use
    const kept = new Map(
      this.proposed.filter((p) => !open.has(p)).map((p) => [this.identity(p), p]),
    );
    const found = proposals.map((p) => {
      const fragments = this.offsets.toUnits(p.fragments);
      const name = this.identity({ ...p, fragments });
      const key = kept.get(name)?.key ?? (lastKey += 1);
      kept.delete(name);
      return { ...p, key, fragments };
    });
    this.proposed = [...found, ...kept.values()];
    this.hooks.changed();
  }

  /** @param {Entity | Proposal} item @returns {Proposal[]} proposals of the other annotator that contradict a proposal */
  rivals(item) {
    if (!("source" in item) || item.source === "model") return [];
    return this.proposals.filter((p) => p.source !== item.source && isRival(p, item));
  }

  /**
   * Show the current content of the file, as a step that can be undone.
   * @param {Text} current
   */
  reload(current) {
    const content = this.take(current);
    this.#rebase(current, content);
    this.history.push(content);
    this.select(null);
    this.drafts.drop(this.id);
    this.hooks.changed();
  }

  /**
   * Continue with this content, based on the current content of the file.
   * @param {Text} current
   * @param {Partial<Content>} content
   */
  merge(current, content) {
    this.#rebase(current, this.base);
    this.change(content, null);
  }

  /** @param {Body} draft unsaved changes of an earlier window */
  restore(draft) {
    // if the file has changed in the meantime, the server reports a conflict
    if (draft.version !== this.version) this.base = { ...this.base, entities: [], rejected: [] };
    this.version = draft.version;
    this.change(this.take({ ...draft, id: this.id }), null);
  }

  /**
   * @param {Pick<Text, "rejected" | "status"> & {entities: (import("./types.js").Mention & {id: string | null,
   *     notes?: string[], warnings?: string[]})[], id: string}} text
   * @returns {Content}
   */
  take({ entities, rejected, status }) {
    return {
      entities: entities.map((saved) => {
        const entity = this.entity({ ...saved, fragments: this.offsets.toUnits(saved.fragments) });
        if (saved.id) this.ids.set(entity.key, saved.id);
        this.remarks.set(entity.key, { notes: saved.notes ?? [], warnings: saved.warnings ?? [] });
        return entity;
      }),
      rejected: rejected.map((m) => ({ ...m, fragments: this.offsets.toUnits(m.fragments) })),
      status,
    };
  }

  /** @returns {Body} */
  #body() {
    /** @param {import("./types.js").Mention} mention */
    const out = ({ label, fragments }) => ({
      label,
      fragments: this.offsets.toPoints(joined(fragments, this.text)),
    });
    const { entities, rejected } = this.content;
    return {
      version: this.version,
      entities: entities.map((entity) => ({
        id: this.ids.get(entity.key) ?? null,
        ...out(entity),
      })),
      status: this.status,
      rejected: rejected.map(out),
    };
  }

  #save() {
    this.#keep();
    this.saver.ask();
    this.hooks.changed();
  }

  #keep() {
    this.drafts.keep(this.id, { ...this.#body(), size: this.text.length });
  }

  async #send() {
    const { content, status } = this;
    this.sent = content;
    const answer = await api.save(this.id, this.#body());
    content.entities.forEach(({ key }, i) => {
      const { id, notes, warnings } = answer.entities[i];
      if (id) this.ids.set(key, id);
      this.remarks.set(key, { notes, warnings });
    });
    this.version = answer.version;
    this.base = content;
    if (status !== this.savedStatus) this.hooks.finished();
    this.savedStatus = status;
    if (this.saver.isDirty) this.#keep();
    else this.drafts.drop(this.id);
    if (answer.removed.length) {
      this.hooks.say(`Deleted from the file, because it referred to the entity: ${answer.removed.join("; ")}`);
    }
  }

  /** @param {Text} current */
  #conflict(current) {
    const theirs = this.take(current);
    /** @param {Content} content */
    const all = (content) =>
      content.entities
        .map((e) => this.identity(e))
        .sort()
        .join();
    // the response was lost, or another window saved the same entities
    const known = [this.content, this.sent].map(all);
    if (!known.includes(all(theirs))) return this.hooks.conflict(this, current);
    this.#rebase(current, theirs);
    this.saver.ask();
  }

  /** @param {Text} current @param {Content} base */
  #rebase(current, base) {
    this.version = current.version;
    this.nHidden = current.n_hidden;
    if (this.status === this.savedStatus)
      this.history.present = { ...this.content, status: current.status };
    this.savedStatus = current.status;
    this.base = base;
    this.saver.resume();
  }
}

/** @template {import("./types.js").Mention} T @param {T[]} mentions @returns {T[]} in text order, the longer first */
export function inText(mentions) {
  return mentions
    .map((mention) => ({ mention, at: extent(mention) }))
    .sort((a, b) => a.at[0] - b.at[0] || b.at[1] - a.at[1])
    .map(({ mention }) => mention);
}
