/** Shorthand functions for elements. */

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function find(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}.`);
  return element;
}

/** @param {string} key @returns {HTMLElement} which is shown, but not a part of the name of a button */
export const keyHint = (key) => make("kbd", { ariaHidden: "true" }, key);

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Partial<HTMLElementTagNameMap[K]>} properties
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** @param {number} n @param {string} one @param {string} [many] @returns {string} "1 text" or "2 texts" */
export const counted = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
