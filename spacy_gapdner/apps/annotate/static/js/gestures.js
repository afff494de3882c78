/** Editing the entities of the open text. */

import { api } from "./api.js";
import { counted } from "./dom.js";
import { askAboutEqual, changesOf, equalWords } from "./equal.js";
import { added, covers, extent, inOrder, trimmed, without, wording } from "./mentions.js";
import { askHowToSplit } from "./splitting.js";

/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./types.js").Mention} Mention */
/** @typedef {import("./types.js").Entity} Entity */
/** @typedef {import("./types.js").Proposal} Proposal */
/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./app.js").App} App */

/** @param {Entity | Proposal} item @returns {item is Proposal} */
export const isProposal = (item) => "source" in item;

/** @param {Session} session @param {Mention} mention @returns {string} */
const named = (session, mention) => `${mention.label} “${wording(mention, session.text)}”`;

export class Gestures {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
  }

  /** @returns {Session} */
  get session() {
    return this.app.session;
  }

  /** Create an entity from the selected words, or add them to the selected entity. @param {Range} marked @param {boolean} adds */
  mark(marked, adds) {
    const range = trimmed(marked, this.session.text);
    if (range[0] >= range[1]) return;
    this.session.cursor.go(this.session.cursor.tokenAt(range[1] - 1));
    if ((adds || this.app.isAdding) && this.session.chosen) this.addFragment(range);
    else this.makeEntity(range);
    this.app.isAdding = false;
    this.app.showCursor();
    this.app.draw();
  }

  /** @param {Range} range */
  makeEntity(range) {
    const { session, app } = this;
    if (!app.label)
      return app.say("There are no entity types. Restart annotate with --labels.");
    const entity = session.entity({ label: app.label, fragments: [range] });
    const same = session.content.entities.find(
      (e) => session.identity(e) === session.identity(entity),
    );
    if (same) return this.select(same.key, false);
    session.change({ entities: [...session.content.entities, entity] }, entity.key);
    app.say(`Created ${named(session, entity)}.`);
  }

  /** The key `Enter`: create an entity from the selection, or from the word at the cursor. */
  make() {
    const { cursor, chosen } = this.session;
    const marked = this.app.marked;
    if (marked) return this.mark(marked, false);
    if (chosen && isProposal(chosen)) return this.accept();
    // not if the entity exists
    if (!chosen || !covers(chosen.fragments, cursor.range)) this.mark(cursor.range, false);
  }

  /** The key `+`: add the selection, the word at the cursor, or the words that are dragged over next. */
  add() {
    const { chosen, cursor } = this.session;
    if (!chosen) return this.app.say("Select an entity first.");
    const marked = this.app.marked;
    if (marked) return this.mark(marked, true);
    if (cursor.isMoved && !covers(chosen.fragments, cursor.range))
      return this.mark(cursor.range, true);
    this.app.isAdding = !this.app.isAdding;
    this.app.say(this.app.isAdding ? "Drag over the words to add." : "");
    this.app.draw();
  }

  /** Add a fragment, or remove it if the entity contains it. @param {Range} range */
  addFragment(range) {
    const { chosen, text } = this.session;
    if (!chosen) return;
    const isThere = covers(chosen.fragments, range);
    const fragments = isThere
      ? without(chosen.fragments, range, text)
      : added(chosen.fragments, range);
    this.#edit({ fragments });
  }

  /** The key Backspace: remove the last fragment. */
  removeFragment() {
    const { chosen } = this.session;
    if (chosen) this.#edit({ fragments: chosen.fragments.slice(0, -1) });
  }

  /** @param {string} label */
  setLabel(label) {
    this.app.label = label;
    const { marked, typeOrder } = this.app;
    const { session } = this;
    if (marked) this.mark(marked, false);
    else if (session.chosen && (session.isPicked || typeOrder.value === "words")) this.#edit({ label });
    else {
      session.select(null);
      this.app.say(`New entities get the type ${label}.`);
    }
    this.app.draw();
  }

  /** @param {Partial<Mention>} change */
  #edit(change) {
    const { session, app } = this;
    const { chosen, content } = session;
    if (!chosen) return;
    if (change.fragments?.length === 0) return this.remove();
    const edited = { ...chosen, ...change };
    const isSame = session.identity(edited) === session.identity(chosen);
    if (isSame && !isProposal(chosen)) return app.say(describe(chosen, session));
    const twin = content.entities.find(
      (e) => e.key !== chosen.key && session.identity(e) === session.identity(edited),
    );
    if (twin) return app.say(`${named(session, twin)} already exists.`);
    const rejected = this.#without(chosen);
    if (isProposal(chosen)) {
      const entity = session.entity(edited);
      session.select(entity.key, session.isPicked);
      session.change({ entities: [...content.entities, entity], rejected });
    } else {
      const { key, label, fragments } = edited;
      const entities = content.entities.map((e) =>
        e.key === key ? { key, label, fragments } : e,
      );
      session.change({ entities, rejected });
    }
    app.say(`Changed ${named(session, chosen)} to ${named(session, edited)}.`);
    if (session.selected !== null) app.view.flash(session.selected);
  }

  /** The key Delete. */
  remove() {
    const { session } = this;
    const { chosen, content } = session;
    if (!chosen) return;
    if (isProposal(chosen)) return this.reject();
    session.change({ entities: content.entities.filter(({ key }) => key !== chosen.key) }, null);
    this.app.say(`Deleted ${named(session, chosen)}.`);
  }

  /** The key `c`: "joint, shoulder and back pain" becomes three entities. */
  async split() {
    const { session, app } = this;
    const { chosen } = session;
    if (!chosen) return app.say("Select an entity first.");
    const made = await askHowToSplit(session, chosen, app);
    app.focusText();
    if (!made) return;
    if (!made.length) return app.say("No entities were selected.");
    const { content } = session;
    const known = new Set(content.entities.map((e) => session.identity(e)));
    const entities = made.filter((mention) => !known.has(session.identity(mention))).map((mention) => session.entity(mention));
    const others = content.entities.filter(({ key }) => key !== chosen.key);
    session.change(
      { entities: [...others, ...entities], rejected: this.#without(chosen) },
      entities[0]?.key ?? null,
    );
    app.say(`Created ${counted(entities.length, "entity", "entities")}.`);
  }

  /** The key `e`: the same words elsewhere. */
  async equal() {
    const { session, app } = this;
    const { chosen } = session;
    if (!chosen) return app.say("Select an entity first.");
    const answer = await askAboutEqual(session, chosen);
    app.focusText();
    if (!answer) return;
    const { change, n } = changesOf(session, chosen)[answer.action];
    if (n) session.change(change, answer.action === "delete" ? null : session.selected);
    app.say(`Changed ${counted(n, "entity", "entities")} in this text.`);
    if (!answer.isEverywhere) return;
    const others = await api.changeEqual(answer.action, equalWords(session, chosen)).catch((error) => error.message);
    const result = typeof others === "number" ? counted(others, "entity", "entities") : `an unknown number: ${others}`;
    app.say(`Changed ${counted(n, "entity", "entities")} in this text, and in the other texts ${result}.`);
  }

  /** @param {"undo" | "redo"} step */
  travel(step) {
    if (!this.session.travel(step)) this.app.say(`Nothing to ${step}.`);
    else this.app.say(step === "undo" ? "Undone." : "Redone.");
  }

  /** @param {number | null} key @param {boolean} [isPicked] whether the user selected it */
  select(key, isPicked = true) {
    const { session, app } = this;
    session.select(key, isPicked);
    app.isAdding = false;
    const { chosen } = session;
    if (chosen) {
      session.cursor.go(session.cursor.tokenAt(inOrder(chosen.fragments)[0][0]));
      app.showCursor();
      app.say(describe(chosen, session));
    }
    app.draw();
  }

  /** Select the next or previous entity or proposal. @param {1 | -1} step */
  step(step) {
    const { items, chosen, cursor } = this.session;
    if (!items.length) return this.app.say("No entities.");
    const after = items.findIndex((item) => extent(item)[0] >= cursor.head[0]);
    const next = chosen
      ? items.indexOf(chosen) + step
      : (after < 0 ? items.length : after) + Math.min(step, 0);
    this.select(items[(next + items.length) % items.length].key);
  }

  /** A click on a word selects the next of its entities. @param {Range} at @param {number | null} key */
  click(at, key) {
    const { session } = this;
    session.cursor.go(at[0] < at[1] ? at : session.cursor.tokenAt(at[0]));
    this.app.showCursor();
    if (key !== null) return this.select(key);
    const here = session.items.filter((item) => covers(item.fragments, session.cursor.range));
    const i = here.findIndex((item) => item.key === session.selected);
    this.select(here.length ? here[(i + 1) % here.length].key : null);
  }

  /** The key `a`. */
  accept() {
    const proposal = this.#proposal();
    if (!proposal) return;
    const { session } = this;
    const rivals = session.rivals(proposal);
    const entity = session.entity(proposal);
    const rejected = rivals.map((rival) => `, rejected ${named(session, rival)}`).join("");
    this.app.say(`Accepted ${named(session, proposal)}${rejected}.`);
    const { content } = session;
    this.#answer(
      proposal,
      {
        entities: [...content.entities, entity],
        rejected: [...content.rejected, ...rivals.map(plain)],
      },
      entity.key,
    );
  }

  /** The key `r`. */
  reject() {
    const proposal = this.#proposal();
    if (!proposal) return;
    this.app.say(`Rejected ${named(this.session, proposal)}.`);
    this.#answer(proposal, { rejected: [...this.session.content.rejected, plain(proposal)] });
  }

  /**
   * @param {Entity | Proposal} item
   * @returns {Mention[]} the rejected proposals after an entity is replaced, so that it is not proposed again
   */
  #without(item) {
    const { session } = this;
    const same = session.proposed.find((p) => session.identity(p) === session.identity(item));
    const rejected = [...(same ? [same] : []), ...session.rivals(item)];
    return [...session.content.rejected, ...rejected.map(plain)];
  }

  /** @returns {Proposal | undefined} the selected proposal */
  #proposal() {
    const { chosen, proposals } = this.session;
    if (chosen && isProposal(chosen)) return chosen;
    this.app.say(
      proposals.length ? "Select a proposal first. Space selects the next one." : "No proposals.",
    );
    return undefined;
  }

  /**
   * Continue with the next proposal to the right. Proposals to the left were skipped.
   * @param {Proposal} proposal
   * @param {Partial<import("./types.js").Content>} change
   * @param {number | null} [last] key of the entity to select if no proposal follows
   */
  #answer(proposal, change, last = null) {
    const { session } = this;
    const all = session.items.filter(isProposal);
    session.change(change, last);
    const left = new Set(session.proposals);
    const next = all.slice(all.indexOf(proposal)).find((other) => left.has(other));
    if (next) {
      session.select(next.key, true);
      session.cursor.go(session.cursor.tokenAt(inOrder(next.fragments)[0][0]));
    }
    this.app.showCursor();
    this.app.draw();
  }

  /** The key `A`. */
  acceptAll() {
    const { session, app } = this;
    const taken = app.sureProposals();
    if (!taken.length) return app.say("No proposals to accept: all are below this score or contradict another one.");
    const entities = taken.map((proposal) => session.entity(proposal));
    session.change({ entities: [...session.content.entities, ...entities] }, null);
    app.say(`Accepted ${counted(taken.length, "proposal")}.`);
  }
}

/** @param {Mention} mention @returns {Mention} */
const plain = ({ label, fragments }) => ({ label, fragments });

/** @param {Entity | Proposal} item @param {Session} session @returns {string} the description for screen readers */
export function describe(item, session) {
  const warnings = session.remarks.get(item.key)?.warnings ?? [];
  const kind = isProposal(item) ? `, proposed by ${item.source}${scoreOf(item)}` : "";
  return [`${named(session, item)}${kind}.`, ...warnings.map((text) => `Warning: ${text}.`), ...contradictions(item, session)].join(" ");
}

/** @param {Entity | Proposal} item @param {Session} session @returns {string[]} the contradicting proposals */
export function contradictions(item, session) {
  return session.rivals(item).map((rival) => `Or ${named(session, rival)}, as annotated by ${rival.source}.`);
}

/** @param {Proposal} proposal @returns {string} */
function scoreOf({ score }) {
  return score === null ? "" : `, score ${score.toFixed(2)}`;
}
