/** Starts the page. */

import { api, Refused, setAnnotator } from "./api.js";
import { App } from "./app.js";
import { askName } from "./dialogs.js";
import { find, make } from "./dom.js";
import { attempt } from "./drafts.js";
import { listenToKeys, returnFocus } from "./keyboard.js";
import { ProgressBar } from "./progress.js";

// number of the last request, because the response to an earlier request may arrive late
let latest = 0;
/** @type {Record<string, string>} */
const ORDERS = { files: "by name", uncertain: "uncertain", random: "random" };

/** @param {App} app @param {string} order */
async function listTexts(app, order) {
  const asked = ++latest;
  const { texts, pending } = await api.texts(order);
  if (asked !== latest) return;
  app.list.show(texts);
  find("pending", HTMLElement).hidden = !pending;
  if (pending) listLater(app, order, asked);
  // nothing was opened while the order was unknown
  else if (!app.open_ && !app.named) await app.openNamed();
}

/** @param {App} app @param {string} order @param {number} asked */
function listLater(app, order, asked) {
  setTimeout(() => {
    if (asked === latest)
      listTexts(app, order).catch(() => listLater(app, order, asked + 1));
  }, 3000);
}

/** @returns {Promise<import("./types.js").Project>} the project of the annotator */
async function findProject() {
  const project = await api.project();
  if (!project.shared) return project;
  const place = `annotator of ${project.name}`;
  const other = find("other-name", HTMLElement);
  other.hidden = false;
  other.addEventListener("click", () => {
    attempt(() => localStorage.removeItem(place));
    location.reload();
  });
  for (let problem = ""; ;) {
    const name = attempt(() => localStorage.getItem(place)) ?? (await askName(project.name, problem));
    setAnnotator(name);
    try {
      // fails if the name is invalid
      await api.state();
      attempt(() => localStorage.setItem(place, name));
      return await api.project();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      attempt(() => localStorage.removeItem(place));
      problem = error.message;
    }
  }
}

async function start() {
  const project = await findProject();
  const app = new App(project);
  find("name", HTMLElement).textContent = project.name;
  find("writes", HTMLElement).textContent = `Saved in ${project.writes}`;
  const order = find("order", HTMLSelectElement);
  order.replaceChildren(...project.orders.map((value) => make("option", { value }, ORDERS[value])));
  order.value = project.order;
  order.addEventListener("change", () =>
    listTexts(app, order.value).catch((error) => app.say(error.message)),
  );
  listenToKeys(app);
  returnFocus(app);
  find("retry", HTMLElement).addEventListener("click", () => app.retry());
  find("show-texts", HTMLElement).addEventListener("click", () => app.list.toggle());
  // in a narrow window, the types would take the place of the text
  if (matchMedia("(max-width: 46rem)").matches) find("types", HTMLDetailsElement).open = false;
  addEventListener("hashchange", () => app.openNamed());
  addEventListener("focus", () => app.refresh());
  addEventListener("beforeunload", (event) => app.isUnsaved && event.preventDefault());
  const progress = new ProgressBar(
    (message) => app.say(message),
    () => {
      void app.open_?.propose();
      if (order.value === "uncertain") void listTexts(app, order.value);
    },
  );
  app.onFinished = () => void progress.ask();
  void progress.ask();
  void api.phrases().then((phrases) => (app.knownPhrases = phrases), () => {});
  // open the text in the address without waiting for a long list
  const id = app.named;
  await Promise.all([listTexts(app, order.value), id && app.open(id)]);
  if (app.named) await app.openNamed();
  else if (!app.open_) app.say("The most uncertain text is opened when the model has processed all texts.");
}

start().catch((error) => {
  find("said", HTMLElement).textContent = `The page cannot start: ${error.message}`;
});
