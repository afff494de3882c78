const find = (id) => document.getElementById(id);
// the prediction of the server, and the hidden types
let found = null;
const hidden = new Set();
// the number of entities in words
let counted = "";
let timer = 0;
// numbers of requests, because a late response must not replace a newer one
let texts = 0;
let asked = 0;

async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => {
    throw new Error("The server does not respond. Start it again, and press the button again.");
  });
  if (!response.ok) {
    const error = await response.json().catch(() => ({}));
    const detail = error.detail;
    throw new Error(typeof detail === "string" ? detail : `The server returned status ${response.status}.`);
  }
  return response;
}

function say(message, isError = false) {
  find("status").textContent = message;
  find("status").className = isError ? "error" : "";
}

function shown() {
  const least = Number(find("score").value);
  const entities = found.entities.filter(
    // the score as it is shown
    (entity) => !hidden.has(entity.label) && Number((entity.score ?? 1).toFixed(2)) >= least
  );
  return { text: found.text, entities };
}

async function draw() {
  const number = ++asked;
  try {
    const prediction = shown();
    const drawing = await (await post("draw", prediction)).text();
    if (number !== asked) return;
    // the server escapes the HTML
    find("drawing").innerHTML = drawing;
    labelLines();
    const all = found.entities.length;
    const part = `${prediction.entities.length} of ${all} ${all === 1 ? "entity" : "entities"}`;
    counted = all ? `${part} shown` : "No entities found";
    markOld();
  } catch (error) {
    if (number === asked) say(error.message, true);
  }
}

// fades the entities of an earlier text
function markOld() {
  const isOld = found?.text !== find("text").value;
  find("result").inert = isOld;
  if (found) say(isOld ? "The text has changed" : counted);
}

function listTypes() {
  const types = [...new Set(found.entities.map((entity) => entity.label))].sort();
  find("types").replaceChildren(
    ...types.map((type) => {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = !hidden.has(type);
      box.addEventListener("change", () => {
        if (box.checked) hidden.delete(type);
        else hidden.add(type);
        draw();
      });
      label.append(box, ` ${type}`);
      return label;
    })
  );
}

function setScore(value) {
  find("score").value = value;
  find("score-value").textContent = Number(find("score").value).toFixed(2);
}

async function predict() {
  const number = ++texts;
  const text = find("text").value;
  const before = found?.text;
  found = null;
  // the drawing and pending responses belong to another text
  find("result").hidden = true;
  find("result").inert = false;
  find("drawing").replaceChildren();
  clearTimeout(timer);
  asked++;
  if (!text.trim()) {
    say("Enter a text first.", true);
    find("text").focus();
    return;
  }
  find("find").disabled = true;
  say("Processing …");
  try {
    const prediction = await (await post("predict", { text })).json();
    if (number !== texts) return;
    // other texts have other scores
    if (prediction.text !== before) setScore(0);
    found = prediction;
    listTypes();
    find("result").hidden = !found.entities.length;
    await draw();
  } catch (error) {
    if (number === texts) say(error.message, true);
  } finally {
    if (number === texts) find("find").disabled = false;
  }
}

async function save(format) {
  try {
    const response = await post(`export/${format}`, shown());
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = format === "brat" ? "entities.zip" : `entities.${format}`;
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    say(error.message, true);
  }
}

async function read(file) {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("it is not UTF-8 text");
  }
}

function acceptFiles() {
  const area = find("text");
  for (const name of ["dragenter", "dragover"]) {
    area.addEventListener(name, (event) => {
      event.preventDefault();
      area.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) {
    area.addEventListener(name, () => area.classList.remove("over"));
  }
  area.addEventListener("drop", async (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    try {
      area.value = file ? await read(file) : event.dataTransfer.getData("text");
    } catch (error) {
      say(`Cannot read the file: ${error.message}`, true);
      return;
    }
    predict();
  });
}

document.addEventListener("DOMContentLoaded", () => {
  find("find").addEventListener("click", predict);
  find("text").addEventListener("input", markOld);
  find("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) predict();
  });
  find("score").addEventListener("input", () => {
    setScore(find("score").value);
    clearTimeout(timer);
    timer = setTimeout(draw, 150);
  });
  for (const button of document.querySelectorAll(".export")) {
    button.addEventListener("click", () => save(button.dataset.format));
  }
  acceptFiles();
});
