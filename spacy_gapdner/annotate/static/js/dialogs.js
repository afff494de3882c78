/** Questions: lists to untick, taken with Enter. */

import { find, make } from "./dom.js";

/**
 * @typedef {object} Choice
 * @property {string} text
 * @property {string} style the class of its color
 * @property {string} label
 * @property {string} [note]
 * @property {boolean} isTicked
 */

/**
 * @param {object} question
 * @param {string} question.title
 * @param {string} question.text
 * @param {string} question.take what the button says
 * @param {string} [question.refuse] that of the other button
 * @param {Choice[]} question.choices
 * @returns {Promise<boolean[] | null>} what is ticked; null if all is refused
 */
export function choose({ title, text, take, refuse = "Cancel", choices }) {
  const dialog = find("choice", HTMLDialogElement);
  const boxes = choices.map(({ isTicked }) =>
    make("input", { type: "checkbox", checked: isTicked }),
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
    take,
    make("kbd", {}, "Enter"),
  );
  const cancel = make("button", { type: "button" }, refuse, make("kbd", {}, "Esc"));
  dialog.replaceChildren(
    make("h2", { id: "choice-title" }, title),
    make("p", {}, text),
    make("ul", { className: "choices" }, ...items),
    make("p", { className: "buttons" }, accept, cancel),
  );
  return new Promise((resolve) => {
    /** @param {boolean} isTaken */
    const end = (isTaken) => {
      dialog.onkeydown = null;
      dialog.close();
      resolve(isTaken ? boxes.map((box) => box.checked) : null);
    };
    accept.onclick = () => end(true);
    cancel.onclick = () => end(false);
    dialog.oncancel = (event) => {
      event.preventDefault();
      end(false);
    };
    dialog.onkeydown = (event) => {
      const box = boxes[Number(event.key) - 1];
      if (box) box.checked = !box.checked;
      else if (event.key === "Enter" && event.target !== cancel) end(true);
      else return;
      event.preventDefault();
    };
    dialog.showModal();
    accept.focus();
  });
}

/**
 * @param {string} project
 * @param {string} problem what was wrong with the name before
 * @returns {Promise<string>} the name of the person who annotates
 */
export function askName(project, problem) {
  const dialog = find("choice", HTMLDialogElement);
  const name = make("input", { required: true, autocomplete: "name", maxLength: 60 });
  const form = make(
    "form",
    {},
    make("h2", { id: "choice-title" }, `Who annotates ${project}?`),
    make("p", {}, make("label", {}, "Your name ", name)),
    make("p", { className: "warning", role: "alert" }, problem),
    make("p", { className: "buttons" }, make("button", { className: "main" }, "Begin")),
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
