/** Dialogs that ask the user. */

import { find, make } from "./dom.js";

/**
 * @typedef {object} Choice
 * @property {string} text
 * @property {string} style the CSS class of its color
 * @property {string} label
 * @property {string} [note]
 * @property {boolean} isChecked
 */

/**
 * @param {object} question
 * @param {string} question.title
 * @param {string} question.text
 * @param {string} question.confirm label of the button that confirms
 * @param {string} [question.cancel] label of the button that cancels
 * @param {Choice[]} question.choices
 * @returns {Promise<boolean[] | null>} whether each choice is selected, or null if canceled
 */
export function choose({ title, text, confirm, cancel = "Cancel", choices }) {
  const dialog = find("choice", HTMLDialogElement);
  const boxes = choices.map(({ isChecked }) =>
    make("input", { type: "checkbox", checked: isChecked }),
  );
  const items = choices.map((choice, i) => {
    const number = i < 9 ? [make("kbd", {}, String(i + 1))] : [];
    const name = make("b", { className: choice.style }, choice.label);
    const note = choice.note ? [make("small", {}, choice.note)] : [];
    return make(
      "li",
      {},
      make("label", {}, boxes[i], ...number, name, ` ${choice.text} `, ...note),
    );
  });
  const accept = make(
    "button",
    { className: "main", type: "button" },
    confirm,
    make("kbd", {}, "Enter"),
  );
  const reject = make("button", { type: "button" }, cancel, make("kbd", {}, "Esc"));
  dialog.replaceChildren(
    make("h2", { id: "choice-title" }, title),
    make("p", {}, text),
    make("ul", { className: "choices" }, ...items),
    make("p", { className: "buttons" }, accept, reject),
  );
  return new Promise((resolve) => {
    /** @param {boolean} isConfirmed */
    const end = (isConfirmed) => {
      dialog.onkeydown = null;
      dialog.close();
      resolve(isConfirmed ? boxes.map((box) => box.checked) : null);
    };
    accept.onclick = () => end(true);
    reject.onclick = () => end(false);
    dialog.oncancel = (event) => {
      event.preventDefault();
      end(false);
    };
    dialog.onkeydown = (event) => {
      const box = boxes[Number(event.key) - 1];
      if (box) box.checked = !box.checked;
      else if (event.key === "Enter" && event.target !== reject) end(true);
      else return;
      event.preventDefault();
    };
    dialog.showModal();
    accept.focus();
  });
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
