const find = (id) => document.getElementById(id);
// the prediction of the server, and the hidden types
let found = null;
const hidden = new Set();
let timer = 0;
// numbers of requests, because a late response must not replace a newer one
let texts = 0;
let asked = 0;

async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
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
    const counted = `${prediction.entities.length} of ${all} ${all === 1 ? "entity" : "entities"}`;
    say(all ? `${counted} shown` : "No entities found");
  } catch (error) {
    if (number === asked) say(error.message, true);
  }
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

async function predict() {
  const number = ++texts;
  find("find").disabled = true;
  // the drawing and pending responses belong to another text
  find("result").hidden = true;
  find("drawing").replaceChildren();
  clearTimeout(timer);
  asked++;
  say("Processing …");
  try {
    const prediction = await (await post("predict", { text: find("text").value })).json();
    if (number !== texts) return;
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
  find("score").addEventListener("input", () => {
    find("score-value").textContent = Number(find("score").value).toFixed(2);
    clearTimeout(timer);
    timer = setTimeout(draw, 150);
  });
  for (const button of document.querySelectorAll(".export")) {
    button.addEventListener("click", () => save(button.dataset.format));
  }
  acceptFiles();
});
