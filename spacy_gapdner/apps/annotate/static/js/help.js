/** The help with all keys. */

import { BY_MOUSE, COMMANDS, nameOf } from "./commands.js";
import { find, keyHint, make } from "./dom.js";

/** Show the help. */
export function showHelp() {
  const sheet = find("help", HTMLDialogElement);
  const close = make("button", { className: "main" }, "Close", keyHint("Esc"));
  const byKeys = Object.entries(COMMANDS).map(([title, commands]) =>
    section(
      title,
      commands.map(({ keys, help }) => [keys.map(nameOf), help]),
    ),
  );
  const labels = section("Types", [
    [["1", "2", "…"], "set the type of the next entities, or of the selected entity"],
  ]);
  const byMouse = section(
    "By mouse",
    BY_MOUSE.map(([gesture, help]) => [[gesture], help]),
  );
  sheet.replaceChildren(
    make("h2", { id: "help-title" }, "Keys"),
    make("div", { className: "sheet" }, byMouse, ...byKeys, labels),
    make("p", { className: "buttons" }, close),
  );
  close.onclick = () => sheet.close();
  sheet.onkeydown = (event) => {
    if (event.key !== "?") return;
    event.preventDefault();
    sheet.close();
  };
  sheet.showModal();
  // the focused button is at the end
  sheet.scrollTop = 0;
}

/** @param {string} title @param {[string[], string][]} rows @returns {HTMLElement} */
function section(title, rows) {
  const lines = rows.flatMap(([keys, help]) => [
    make("dt", {}, ...keys.map((key) => make("kbd", {}, key))),
    make("dd", {}, help),
  ]);
  return make("section", {}, make("h3", {}, title), make("dl", {}, ...lines));
}
