/** The list of texts. Only the visible rows are on the page, so that it is fast for 20,000 texts. */

import { api } from "./api.js";
import { find, make } from "./dom.js";

/** @typedef {import("./types.js").Listed} Listed */

const HEIGHT = 44;
// milliseconds without a key until all texts are searched
const PAUSE = 300;
const MARKS = { new: "○", done: "✓", skipped: "–", doubtful: "?" };

export class TextList {
  /** @param {(id: string) => void} open @param {(message: string) => void} say */
  constructor(open, say) {
    this.open = open;
    this.say = say;
    /** @type {Set<string>} the ids of the texts that contain the query */
    this.hits = new Set();
    this.box = find("text-list", HTMLElement);
    this.rows = find("text-rows", HTMLElement);
    this.query = find("search", HTMLInputElement);
    this.filter = find("filter", HTMLSelectElement);
    /** @type {Listed[]} in the selected order */
    this.texts = [];
    /** @type {Listed[]} the matching texts */
    this.shown = [];
    /** @type {string | null} */
    this.current = null;
    this.active = 0;
    find("text", HTMLElement).addEventListener("focus", () => this.hide());
    this.box.addEventListener("scroll", () => this.#draw());
    new ResizeObserver(() => this.#draw()).observe(this.box);
    this.query.addEventListener("input", () => this.#find());
    this.filter.addEventListener("change", () => this.#choose());
    for (const element of [this.box, this.query])
      element.addEventListener("keydown", (e) => this.#key(e));
    this.rows.addEventListener("click", (event) => {
      const row = event.target instanceof Element && event.target.closest("li");
      if (row) this.open(row.dataset.id ?? "");
    });
  }

  /** @returns {boolean} whether the list covers the text in a narrow window */
  get isOver() {
    return document.body.classList.contains("lists-texts");
  }

  hide() {
    this.#cover(false);
  }

  search() {
    this.#cover(true);
    this.query.select();
  }

  toggle() {
    this.#cover(!this.isOver);
    if (this.isOver) this.box.focus();
  }

  /** @param {boolean} isOver */
  #cover(isOver) {
    document.body.classList.toggle("lists-texts", isOver);
    find("show-texts", HTMLElement).ariaExpanded = String(isOver);
  }

  /** @param {Listed[]} texts */
  show(texts) {
    this.texts = texts;
    this.#choose();
  }

  /** @param {string} id */
  setCurrent(id) {
    this.current = id;
    const i = this.shown.findIndex((text) => text.id === id);
    if (i >= 0) this.#reveal(i);
    this.#draw();
  }

  /** @param {string} id @param {import("./types.js").Status} status */
  setStatus(id, status) {
    const text = this.texts.find((other) => other.id === id);
    if (!text || text.status === status) return;
    text.status = status;
    // it may leave the list, or return
    this.#choose();
  }

  /**
   * @param {1 | -1} step
   * @returns {string | null} the next or previous matching text
   */
  neighbor(step) {
    const i = this.shown.findIndex(({ id }) => id === this.current);
    // the next text takes the place of a text that left the list
    const next = i < 0 ? this.active - Number(step < 0) : i + step;
    return this.shown[next]?.id ?? null;
  }

  /** @returns {string | null} the next matching text, starting over at the end; only new texts if all are shown */
  nextOpen() {
    const i = this.shown.findIndex(({ id }) => id === this.current);
    const start = i < 0 ? this.active : i + 1;
    const later = [...this.shown.slice(start), ...this.shown.slice(0, Math.max(i, 0))];
    return later.find(({ status }) => this.filter.value || status === "new")?.id ?? null;
  }

  async #find() {
    const query = this.query.value;
    this.hits = new Set();
    // names and first words at once
    this.#choose();
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (!query.trim() || query !== this.query.value) return;
    try {
      const hits = await api.search(query);
      if (query !== this.query.value) return;
      this.hits = new Set(hits);
      // the rows stay if there are no others, because they can be clicked at this moment
      if (this.#matching().length > this.shown.length) this.#choose();
    } catch (error) {
      this.say(`Cannot search: ${error instanceof Error ? error.message : error}`);
    }
  }

  #matching() {
    const query = folded(this.query.value);
    const status = this.filter.value;
    return this.texts.filter(
      (text) => (!status || text.status === status) &&
        (this.hits.has(text.id) || folded(`${text.id} ${text.begin}`).includes(query)),
    );
  }

  #choose() {
    this.shown = this.#matching();
    this.#count();
    find("no-hits", HTMLElement).hidden = !this.texts.length || this.shown.length > 0;
    const i = this.shown.findIndex(({ id }) => id === this.current);
    this.#reveal(i < 0 ? Math.max(Math.min(this.active, this.shown.length - 1), 0) : i);
    this.#draw();
  }

  #count() {
    for (const option of this.filter.options) {
      const n = this.texts.filter(({ status }) => !option.value || status === option.value).length;
      option.text = `${option.dataset.name} (${n.toLocaleString("en")})`;
    }
  }

  /** @param {number} i */
  #reveal(i) {
    this.active = i;
    const { scrollTop, clientHeight } = this.box;
    if (i * HEIGHT < scrollTop || (i + 1) * HEIGHT > scrollTop + clientHeight) {
      this.rows.style.height = `${this.shown.length * HEIGHT}px`;
      this.box.scrollTop = i * HEIGHT - clientHeight / 2;
    }
  }

  #draw() {
    this.rows.style.height = `${this.shown.length * HEIGHT}px`;
    const first = Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - 5);
    const last = Math.ceil((this.box.scrollTop + this.box.clientHeight) / HEIGHT) + 5;
    const rows = this.shown.slice(first, last).map((text, i) => this.#row(text, first + i));
    this.rows.replaceChildren(...rows);
    // rows that are not visible are missing
    const isDrawn = first <= this.active && this.active < first + rows.length;
    if (isDrawn) this.box.setAttribute("aria-activedescendant", `text-${this.active}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  /** @param {Listed} text @param {number} i @returns {HTMLElement} */
  #row(text, i) {
    const row = make("li", { id: `text-${i}`, role: "option", title: text.id });
    row.append(
      make("span", { className: "mark" }, MARKS[text.status]),
      make("span", { className: "id" }, text.id, make("small", { dir: "auto" }, text.begin)),
    );
    if (text.score !== null) row.append(make("small", {}, text.score.toFixed(2)));
    row.dataset.id = text.id;
    row.className = text.status;
    row.ariaLabel = `${text.id}, ${text.status}`;
    row.ariaSelected = String(text.id === this.current);
    row.ariaPosInSet = String(i + 1);
    row.ariaSetSize = String(this.shown.length);
    row.classList.toggle("active", i === this.active);
    row.style.top = `${i * HEIGHT}px`;
    return row;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && this.shown[this.active]) this.open(this.shown[this.active].id);
    else if (event.key === "Escape") find("text", HTMLElement).focus();
    else if (step) this.#reveal(Math.min(Math.max(this.active + step, 0), this.shown.length - 1));
    else return;
    event.preventDefault();
    this.#draw();
  }
}

/** @param {string} text @returns {string} without differences of case and of composed letters */
function folded(text) {
  return text.normalize("NFC").toLowerCase();
}
