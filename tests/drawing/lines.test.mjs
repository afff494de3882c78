/** Labels of coordinations. */

import assert from "node:assert";
import test from "node:test";

// the module measures labels with a canvas, which Node does not have
globalThis.document = { createElement: () => ({ getContext: () => null }) };
const { findRepeated } = await import("../../spacy_gapdner/drawing/static/lines.js");

const TEXT = "severe joint shoulder back knee pain and severe fever".split(" ");
/** An entity of words of the text. */
function entity(label, text) {
  const own = text.split(" ").map((word) => TEXT.indexOf(word));
  const words = [...TEXT.keys()].slice(own[0], own.at(-1) + 1);
  return { label, words, own: new Set(own) };
}

test("equal labels of a coordination are one", () => {
  const entities = "joint shoulder back knee".split(" ").map((part) => entity("ADE", `severe ${part} pain`));
  assert.deepEqual(findRepeated(entities), [false, true, true, true]);
});

test("an entity has its label if the bar above has another one", () => {
  const entities = [
    entity("ADE 0.9", "severe joint pain"),
    entity("ADE 0.8", "severe shoulder pain"),
    entity("ADE 0.9", "severe back pain"),
    entity("SIGN", "shoulder"),
    entity("ADE 0.9", "severe knee pain"),
  ];
  assert.deepEqual(findRepeated(entities), [false, false, false, false, false]);
});

test("other entities have their labels", () => {
  const entities = [
    // nested, without a gap
    entity("SIGN", "back knee pain"),
    entity("SIGN", "knee pain"),
    // in a gap, and in another place
    entity("ADE", "severe pain"),
    entity("ADE", "joint"),
    entity("ADE", "fever"),
  ];
  assert.deepEqual(findRepeated(entities), [false, false, false, false, false]);
});
