/** Readings of coordinations. */

import assert from "node:assert";
import test from "node:test";
import { combinations } from "../../../spacy_gapdner/apps/annotate/static/js/coordination.js";
import { Known } from "../../../spacy_gapdner/apps/annotate/static/js/known.js";
import { isSure, readings, varied } from "../../../spacy_gapdner/apps/annotate/static/js/readings.js";

const show = (entities, text) => entities.map((own) => own.map((f) => text.slice(...f)).join("_"));
const read = (text, known = new Known({})) => readings([0, text.length], text, known);

const FIRST = [
  ["nausea and vomiting", "nausea; vomiting"],
  ["joint, shoulder and back pain", "joint_pain; shoulder_pain; back pain"],
  ["severe joint, shoulder and back pain", "severe joint_pain; severe_shoulder_pain; severe_back pain"],
  ["hepatic and/or renal failure", "hepatic_failure; renal failure"],
  ["diseases of the heart, lung or liver", "diseases of the heart; diseases of the_lung; diseases of the_liver"],
  ["end stage renal or hepatic disease", "end stage renal_disease; end stage_hepatic disease"],
  ["ألم الرأس والبطن", "ألم الرأس; ألم_البطن"],
];
for (const [text, expected] of FIRST)
  test(text, () => assert.deepEqual(show(read(text)[0].entities, text), expected.split("; ")));

const AMONG = [
  ["alcohol or drug abuse or dependence", "alcohol_abuse; alcohol_dependence; drug abuse; drug_dependence"],
  ["hepatitis B, C and HIV serologies", "hepatitis B_serologies; hepatitis_C_serologies; HIV serologies"],
  ["human immunodeficiency virus (HIV) infection", "human immunodeficiency virus_infection; HIV"],
  ["renal (severe) or hepatic failure", "renal_failure; hepatic failure"],
  ["COX-1 (a) or COX-2 (b) inhibitors", "COX-1 (a)_inhibitors; COX-2 (b) inhibitors"],
  ["nasal skin or soft tissue and bone defect", "nasal skin or soft tissue_defect; bone defect"],
  ["1 or 2-level", "1_level; 2-level"],
  ["prostate or other cancer", "prostate_cancer; cancer"],
  ["ACAM2000 or its diluents", "ACAM2000; ACAM2000_diluents"],
];
for (const [text, expected] of AMONG)
  test(text, () => {
    const all = read(text).map(({ entities }) => show(entities, text).join("; "));
    assert.ok(all.includes(expected), all.slice(0, 9).join("\n"));
  });

test("the number of shared words can be changed", () => {
  const text = "hepatitis B or C virus infection";
  const all = read(text);
  const shared = (reading) => [reading.first.length, reading.last.length];
  const start = all.find((reading) => shared(reading).join() === "1,1");
  assert.deepEqual(shared(varied(all, start, "last", 1)), [1, 2]);
  assert.deepEqual(shared(varied(all, start, "first", -1)), [0, 1]);
  const none = all.find((reading) => shared(reading).join() === "0,0");
  assert.equal(varied(all, none, "first", -1), none);
});

test("other entities and proposals change the order", () => {
  const text = "liver or lung pain";
  const first = (known) => show(read(text, known)[0].entities, text).join("; ");
  assert.equal(first(new Known({ "back pain": 1, "lung pain": 2 })), "liver_pain; lung pain");
  const proposed = [[[0, 5]], [[9, 18]]];
  assert.equal(first(new Known({}, proposed)), "liver; lung pain");
});

test("a suggestion can be uncertain", () => {
  assert.equal(isSure(read("nausea and vomiting")), true);
  assert.equal(isSure(read("pain or old swelling, rash of arm, leg or old red skin of hand")), false);
  assert.equal(isSure([]), false);
});

const PARTS = [
  ["10 mg/dl or 20 mL/min", "10 mg/dl; 20 mL/min"],
  ["CT/MRI", "CT; MRI"],
  ["s/p resection", "s/p resection"],
  ["hip / knee", "hip; knee"],
  ["Melan-A/MART-1", "Melan-A; MART-1"],
  ["5, or", "5"],
  ["وجع وورم والدم", "وجع; ورم; الدم"],
  ["ألم شديد وزن", "ألم شديد وزن"],
];
for (const [text, expected] of PARTS)
  test(text, () => assert.deepEqual(show(combinations([[0, text.length]], text), text), expected.split("; ")));
