/** Requests to the server. The types of the responses are in `types.js`. */

const token = new URLSearchParams(location.search).get("token");

let annotator = "";

/** @param {string} name of the annotator */
export function setAnnotator(name) {
  annotator = name;
}

/** Thrown if the server rejects a request. */
export class Refused extends Error {
  /** @param {number} status @param {any} answer */
  constructor(status, answer) {
    const detail = answer?.detail;
    super(typeof detail === "string" ? detail : `The server returned status ${status}.`);
    this.status = status;
    this.answer = answer;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function ask(method, path, body) {
  /** @type {Record<string, string>} */
  const headers = token ? { "X-Token": token } : {};
  if (annotator) headers["X-Annotator"] = encodeURIComponent(annotator);
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(`api/${path}`, { method, headers, body: JSON.stringify(body) }).catch(
    () => {
      throw new Error("The server does not respond. Is it still running?");
    },
  );
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
}

/** @param {string} id @returns {string} the path, in which slashes are not escaped */
const pathOf = (id) => `texts/${id.split("/").map(encodeURIComponent).join("/")}`;

export const api = {
  /** @returns {Promise<import("./types.js").Project>} */
  project: () => ask("GET", "project"),
  /** @param {string} order @returns {Promise<{texts: import("./types.js").Listed[], pending: boolean}>} */
  texts: (order) => ask("GET", `texts?order=${encodeURIComponent(order)}`),
  /** @param {string} words @returns {Promise<string[]>} the ids of the texts that contain them */
  search: (words) => ask("GET", `search?words=${encodeURIComponent(words)}`),
  /** @returns {Promise<Record<string, number>>} the texts of all entities, with their numbers */
  phrases: () => ask("GET", "phrases"),
  /** @param {string} id @returns {Promise<import("./types.js").Text>} */
  text: (id) => ask("GET", pathOf(id)),
  /** @param {string} id @param {import("./types.js").Body} body @returns {Promise<import("./types.js").Answer>} */
  save: (id, body) => ask("PUT", pathOf(id), body),
  /** @param {string} id @returns {Promise<import("./types.js").Proposed[]>} */
  proposals: (id) => ask("POST", `${pathOf(id)}/proposals`),
  /** @param {import("./types.js").EqualWords} equal @returns {Promise<Record<string, {entities: number, texts: number}>>} */
  countEqual: (equal) => ask("POST", "equal", equal),
  /** @param {string} action @param {import("./types.js").EqualWords} equal @returns {Promise<number>} of changed entities */
  changeEqual: (action, equal) => ask("POST", `equal/${action}`, equal),
  /** @returns {Promise<import("./types.js").Progress>} */
  state: () => ask("GET", "state"),
  train: () => ask("POST", "train"),
  back: () => ask("POST", "back"),
};
