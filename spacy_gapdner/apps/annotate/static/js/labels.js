/** The entity types: buttons, colors, guidelines. */

import { find, keyHint, make } from "./dom.js";

/** @typedef {import("./types.js").Label} Label */

const MANY = 12;

/** @param {Label[]} labels @returns {(label: string) => string} the CSS class of the color of a type */
export function addColors(labels) {
  const sheet = new CSSStyleSheet();
  // lighter in dark mode, as in entities.css
  const rules = labels.map(
    ({ color }, i) =>
      `.type${i} { --type: light-dark(${color}, color-mix(in srgb, ${color}, white 25%)); }`,
  );
  sheet.replaceSync(rules.join("\n"));
  document.adoptedStyleSheets.push(sheet);
  const styles = new Map(labels.map(({ name }, i) => [name, `type${i}`]));
  return (label) => styles.get(label) ?? "unknown-type";
}

/**
 * @param {Label[]} labels
 * @param {(label: string) => string} styleOf
 * @param {(label: string) => void} choose
 * @returns {(pressed: string | null) => void} shows the current type
 */
export function listLabels(labels, styleOf, choose) {
  const buttons = labels.map(({ name, key, description }) => {
    const keyed = key ? [keyHint(key)] : [];
    const button = make(
      "button",
      { className: `type ${styleOf(name)}`, title: description },
      ...keyed,
      name,
    );
    button.ariaKeyShortcuts = key;
    button.addEventListener("click", () => choose(name));
    return button;
  });
  find("labels", HTMLElement).replaceChildren(...buttons);
  find("guidelines", HTMLElement).replaceChildren(
    ...labels.flatMap(({ name, key, description }) => [
      make("dt", { className: styleOf(name) }, name, ...(key ? [" ", keyHint(key)] : [])),
      make("dd", {}, description),
    ]),
  );
  searchLabels(labels, buttons, choose);
  /** @type {string | null} */
  let last = null;
  return (pressed) => {
    buttons.forEach((button, i) => (button.ariaPressed = String(labels[i].name === pressed)));
    const current = buttons.find((button) => button.ariaPressed === "true");
    if (current && pressed !== last) reveal(find("labels", HTMLElement), current);
    last = pressed;
  };
}

/**
 * With many types, their list can be searched.
 * @param {Label[]} labels
 * @param {HTMLButtonElement[]} buttons
 * @param {(label: string) => void} choose
 */
function searchLabels(labels, buttons, choose) {
  const query = find("label-search", HTMLInputElement);
  query.hidden = labels.length < MANY;
  const matches = () => buttons.filter((button) => !button.hidden);
  query.addEventListener("input", () => {
    const words = query.value.toLowerCase();
    buttons.forEach((button, i) => (button.hidden = !labels[i].name.toLowerCase().includes(words)));
  });
  query.addEventListener("keydown", ({ key }) => {
    if (key !== "Enter" && key !== "Escape") return;
    const [first] = matches();
    if (key === "Enter" && first) choose(labels[buttons.indexOf(first)].name);
    query.value = "";
    query.dispatchEvent(new Event("input"));
    find("text", HTMLElement).focus();
  });
}

/** Scroll to a child. Unlike `scrollIntoView`, this does not scroll the page. @param {HTMLElement} box @param {HTMLElement} child */
function reveal(box, child) {
  const [x, y] = [child.offsetLeft - box.offsetLeft, child.offsetTop - box.offsetTop];
  box.scrollLeft = Math.max(Math.min(box.scrollLeft, x), x + child.offsetWidth - box.clientWidth);
  box.scrollTop = Math.max(Math.min(box.scrollTop, y), y + child.offsetHeight - box.clientHeight);
}
