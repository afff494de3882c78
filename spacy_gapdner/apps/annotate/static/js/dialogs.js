/** Dialogs that ask the user. */

import { find, keyHint, make } from "./dom.js";

/**
 * @typedef {object} Choice
 * @property {string} text
 * @property {string} style the CSS class of its color
 * @property {string} label
 * @property {string} [note]
 * @property {boolean} isChecked
 */

/** @typedef {{text: string, key: string, run: () => void, isOn?: () => boolean}} Action that changes the choices */

/**
 * @template {Choice} T
 * @typedef {object} Question
 * @property {string} title
 * @property {() => string} text
 * @property {string} confirm label of the button that confirms
 * @property {string} [cancel] label of the button that cancels
 * @property {Action[]} [actions]
 * @property {Action[]} [toggles]
 * @property {string} [togglesText] their heading
 * @property {() => T[]} choices
 */

/** @type {Promise<unknown>} the answer to the previous question */
let previous = Promise.resolve();

/**
 * @template {Choice} T
 * @param {Question<T>} question
 * @returns {Promise<T[] | null>} the selected choices, or null if canceled
 */
export function choose(question) {
  // two texts can have a conflict at the same time
  const answer = previous.then(() => ask(question));
  previous = answer.catch(() => null);
  return answer;
}

/**
 * @template {Choice} T
 * @param {Question<T>} question
 * @returns {Promise<T[] | null>}
 */
function ask({ title, text, confirm, cancel = "Cancel", actions = [], toggles = [], togglesText = "", choices }) {
  const dialog = find("choice", HTMLDialogElement);
  const list = make("ul", { className: "choices" });
  const hint = make("p", { role: "status" });
  /** @type {T[]} */
  let shown = [];
  /** @type {HTMLInputElement[]} */
  let boxes = [];
  const draw = () => {
    hint.textContent = text();
    shown = choices();
    boxes = shown.map(({ isChecked }) => make("input", { type: "checkbox", checked: isChecked }));
    list.replaceChildren(...shown.map((choice, i) => choiceItem(choice, boxes[i], i)));
  };
  draw();
  const accept = make(
    "button",
    { className: "main", type: "button" },
    confirm,
    keyHint("Enter"),
  );
  const all = [...actions, ...toggles];
  const buttons = all.map((action) => {
    const button = make("button", { type: "button", ariaKeyShortcuts: action.key }, action.text, keyHint(action.key));
    const show = () => action.isOn && (button.ariaPressed = String(action.isOn()));
    button.onclick = () => {
      action.run();
      show();
      draw();
    };
    show();
    return button;
  });
  const ofToggles = make("p", { className: "group" }, togglesText, ...buttons.slice(actions.length));
  const reject = make("button", { type: "button" }, cancel, keyHint("Esc"));
  dialog.replaceChildren(
    make("h2", { id: "choice-title" }, title),
    hint,
    list,
    make("p", { className: "group" }, ...buttons.slice(0, actions.length)),
    ...(toggles.length ? [ofToggles] : []),
    make("p", { className: "buttons" }, accept, reject),
  );
  return new Promise((resolve) => {
    /** @param {boolean} isConfirmed */
    const end = (isConfirmed) => {
      dialog.onkeydown = null;
      dialog.close();
      resolve(isConfirmed ? shown.filter((_, i) => boxes[i].checked) : null);
    };
    accept.onclick = () => end(true);
    reject.onclick = () => end(false);
    dialog.oncancel = (event) => {
      event.preventDefault();
      end(false);
    };
    dialog.onkeydown = (event) => {
      const used = boxes[Number(event.key) - 1] ?? buttons[all.findIndex(({ key }) => key === event.key)];
      const isOther = event.target instanceof HTMLButtonElement && event.target !== accept;
      if (used) used.click();
      else if (event.key === "Enter" && !isOther) end(true);
      else return;
      event.preventDefault();
    };
    dialog.showModal();
    accept.focus();
  });
}

/** @param {Choice} choice @param {HTMLInputElement} box @param {number} i @returns {HTMLElement} */
function choiceItem({ text, style, label, note }, box, i) {
  const number = i < 9 ? [keyHint(String(i + 1))] : [];
  const name = make("b", { className: style }, label);
  const small = note ? [make("small", {}, note)] : [];
  return make("li", {}, make("label", {}, box, ...number, name, ` ${text} `, ...small));
}

/**
 * @param {string} project
 * @param {string} problem the error of the previous name
 * @returns {Promise<string>} the name of the annotator
 */
export function askName(project, problem) {
  const dialog = find("choice", HTMLDialogElement);
  const name = make("input", { required: true, autocomplete: "name", maxLength: 60 });
  const form = make(
    "form",
    {},
    make("h2", { id: "choice-title" }, `Annotate ${project}`),
    make("p", {}, make("label", {}, "Your name ", name)),
    make("p", { className: "warning", role: "alert" }, problem),
    make("p", { className: "buttons" }, make("button", { className: "main" }, "Start")),
  );
  dialog.replaceChildren(form);
  return new Promise((resolve) => {
    dialog.oncancel = (event) => event.preventDefault();
    form.onsubmit = (event) => {
      event.preventDefault();
      if (!name.value.trim()) return;
      dialog.close();
      resolve(name.value.trim());
    };
    dialog.showModal();
  });
}
