// Search, filters and paging. Without this script, the page shows everything.
const SIZE = 100;
const DISAGREEMENTS = ["incorrect", "missed", "spurious", "differs", "unmatched"];
// makes the style sheet hide elements that are not on the current page
document.documentElement.classList.add("js");

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// text and entities of a sentence, or of gold and prediction side by side
function read(unit) {
  const entities = new Map();
  [...unit.querySelectorAll(".entities")].forEach((block, side) => {
    for (const cell of block.querySelectorAll("i[data-n]:not(.thin)")) {
      const key = `${side} ${cell.dataset.n}`;
      if (!entities.has(key)) entities.set(key, { cells: [], gap: false });
      const entity = entities.get(key);
      entity.cells.push(cell);
      entity.gap ||= cell.classList.contains("gap");
      const { type, mark, reason, score, error, tags } = cell.dataset;
      if (type === undefined) continue;
      // the gold entity of an incorrect prediction belongs to the same error
      Object.assign(entity, { type, mark: mark === "gold" ? "incorrect" : mark, reason, error });
      Object.assign(entity, { score: score && Number(score), tags: new Set(tags?.split(" ")) });
    }
  });
  const first = unit.closest(".doc").firstElementChild;
  const heading = first.matches("h2, h3") ? first.textContent : "";
  const text = `${heading} ${unit.textContent}`.replace(/\s+/g, " ").toLowerCase();
  return { text, entities: [...entities.values()] };
}

function start() {
  const units = [...document.querySelectorAll(".unit")];
  if (!units.length) return;
  const heads = [...document.querySelectorAll("i[data-type]:not(.thin)")];
  const valuesOf = (name) =>
    [...new Set(heads.map((head) => head.dataset[name]))].filter((value) => value).sort();
  const search = make("input", { type: "search", placeholder: "Search in the text" });
  search.setAttribute("aria-label", search.placeholder);
  const choice = (label, all, values) => {
    const box = make("select", {}, make("option", { value: "" }, all));
    box.append(...values.map((value) => make("option", { value }, value)));
    box.setAttribute("aria-label", label);
    return box;
  };
  const type = choice("Type", "All types", valuesOf("type"));
  const marks = [...valuesOf("mark").filter((mark) => mark !== "gold"), ...valuesOf("reason")];
  const outcome = choice("Outcome", "All outcomes", marks);
  const gaps = make("input", { type: "checkbox" });
  const differing = make("input", { type: "checkbox" });
  const bound = (value) => make("input", { type: "number", min: 0, max: 1, step: 0.05, value });
  const [least, most] = [bound("0"), bound("1")];
  least.setAttribute("aria-label", "Lowest score");
  most.setAttribute("aria-label", "Highest score");
  const back = make("button", { type: "button" }, "Back");
  const next = make("button", { type: "button" }, "Next");
  const status = make("span", { role: "status" });
  // the errors of a number in a report
  const chosen = make("button", { type: "button", className: "chosen", hidden: true });
  const filters = [chosen, search, type, make("label", {}, gaps, " discontinuous only")];
  if (DISAGREEMENTS.some((mark) => marks.includes(mark))) {
    filters.splice(3, 0, outcome);
    // every sentence of a report has a disagreement
    const selector = DISAGREEMENTS.map((mark) => `[data-mark=${mark}]`).join();
    if (units.some((unit) => !unit.querySelector(selector))) {
      filters.push(make("label", {}, differing, " disagreements only"));
    }
  }
  if (heads.some((head) => head.dataset.score)) {
    filters.push(make("span", {}, "score ", least, " to ", most));
  }
  const tools = make("div", { className: "tools" }, ...filters);
  tools.append(make("span", {}, back, " ", next, " ", status));
  document.querySelector(".doc").before(tools);

  const known = new Map();
  let found = units;
  let page = 0;
  let wanted = [];
  const numbers = new Set(heads.map((head) => head.dataset.error).filter((number) => number));

  function readOnce(unit) {
    if (!known.has(unit)) known.set(unit, read(unit));
    return known.get(unit);
  }

  const inRange = () => Number(least.value) > 0 || Number(most.value || 1) < 1;
  const filtered = () =>
    wanted.length || type.value || outcome.value || gaps.checked || differing.checked || inRange();

  function fits({ type: own, gap, mark, reason, score, tags }) {
    if (!wanted.every((tag) => tags.has(tag))) return false;
    if (type.value && own !== type.value) return false;
    if (outcome.value && mark !== outcome.value && reason !== outcome.value) return false;
    if (gaps.checked && !gap) return false;
    if (differing.checked && !DISAGREEMENTS.includes(mark)) return false;
    return !inRange() || (score >= Number(least.value) && score <= Number(most.value || 1));
  }

  function show() {
    for (const element of document.querySelectorAll(".on")) element.classList.remove("on");
    const shown = found.slice(page * SIZE, (page + 1) * SIZE);
    for (const unit of shown) {
      for (let box = unit; box; box = box.parentElement.closest(".doc")) box.classList.add("on");
      if (!filtered() && !known.has(unit)) continue;
      for (const entity of readOnce(unit).entities) {
        const off = filtered() && !fits(entity);
        for (const cell of entity.cells) cell.classList.toggle("off", off);
      }
    }
    const count = (n) => n.toLocaleString("en");
    const first = page * SIZE + 1;
    const range = `${count(first)} to ${count(first + shown.length - 1)} of ${count(found.length)}`;
    const errors = numbers.size ? `, errors: ${count(countErrors())}` : "";
    status.textContent = shown.length ? range + errors : "nothing found";
    labelLines();
    back.disabled = page === 0;
    next.disabled = (page + 1) * SIZE >= found.length;
  }

  function countErrors() {
    if (found.length === units.length && !filtered()) return numbers.size;
    const entities = found.flatMap((unit) => readOnce(unit).entities);
    return new Set(entities.filter(fits).map((entity) => entity.error)).size;
  }

  function filter() {
    const words = search.value.trim().replace(/\s+/g, " ").toLowerCase();
    page = 0;
    found = units.filter((unit) => {
      if (words && !readOnce(unit).text.includes(words)) return false;
      return !filtered() || readOnce(unit).entities.some(fits);
    });
    show();
  }

  function turn(step) {
    page += step;
    show();
    tools.scrollIntoView();
  }

  // show the errors with all tags of a link, or all errors
  function choose(tags, title) {
    wanted = tags;
    chosen.hidden = !tags.length;
    chosen.textContent = `× ${title}`;
    filter();
  }

  document.addEventListener("click", ({ target }) => {
    const link = target.closest("a[data-filter]");
    if (!link) return;
    for (const box of [search, type, outcome]) box.value = "";
    gaps.checked = false;
    [least.value, most.value] = ["0", "1"];
    choose(link.dataset.filter.split(" "), link.title);
  });
  chosen.addEventListener("click", () => {
    choose([], "");
    search.focus();
  });
  let timer = 0;
  tools.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(filter, 150);
  });
  back.addEventListener("click", () => turn(-1));
  next.addEventListener("click", () => turn(1));
  show();
}

// shows the text of an entity as a tooltip
document.addEventListener("mouseover", ({ target }) => {
  const { n } = target.dataset;
  if (n && !target.title) {
    target.title = target.closest(".entities").querySelector(`i[data-n="${n}"][title]`).title;
  }
});
document.addEventListener("DOMContentLoaded", start);
