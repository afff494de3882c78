/** Readings of coordinations. */

import assert from "node:assert";
import test from "node:test";
import { combinations } from "../../../spacy_gapdner/apps/annotate/static/js/coordination.js";
import { Known } from "../../../spacy_gapdner/apps/annotate/static/js/known.js";
import { isSure, readings, varied, wordsToOmit } from "../../../spacy_gapdner/apps/annotate/static/js/readings.js";

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
  ["1 or 2-level", "1_-level; 2-level"],
  ["second- or third-degree", "second-_degree; third-degree"],
  ["located in vessels and in arms", "located in vessels; located in_arms"],
  ["tumors of the colon and rectum", "tumors of_colon; tumors of_rectum"],
  ["parent(s) or guardian(s) consent", "parent_consent; guardian_consent"],
  ["renal (urea (high), dialysis) or hepatic failure", "renal_failure; hepatic failure"],
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

test("a word can be left out", () => {
  const text = "physical or psychological concomitant diseases";
  const words = wordsToOmit([0, text.length], text);
  assert.deepEqual(words.map((word) => text.slice(...word)), ["physical", "psychological", "concomitant", "diseases"]);
  const [first] = readings([0, text.length], text, new Known({}), [words[2]]);
  assert.deepEqual(show(first.entities, text), ["physical_diseases", "psychological_diseases"]);
});

test("compounds are divided before known words", () => {
  const known = new Known({ "lung disease": 1, hyperthyroidism: 2, "chronische Erkrankung": 1 });
  const cases = {
    "hyper- or hypothyroidism": "hyper_thyroidism; hypothyroidism",
    "Herz- und Lungenerkrankung": "Herz_erkrankung; Lungenerkrankung",
  };
  for (const [text, expected] of Object.entries(cases)) {
    const all = read(text, known).map(({ entities }) => show(entities, text).join("; "));
    assert.ok(all.slice(0, 2).includes(expected), all.join("\n"));
  }
});

test("known phrases are added and removed", () => {
  const known = new Known({ "Renal  failure": 1, "renal disease": 2 });
  known.add({ "renal failure": 1, "liver disease": 1 });
  known.add({ "liver disease": 1, "renal failure": 1 }, -1);
  assert.deepEqual([known.count("renal failure"), known.count("liver disease")], [1, 0]);
  assert.deepEqual([known.countPair("renal", "failure"), known.countPair("liver", "disease")], [1, 0]);
  assert.deepEqual([known.hasWord("renal"), known.hasWord("liver")], [true, false]);
  assert.ok(known.logShare("renal", "first") > known.logShare("disease", "first"));
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
  ["type I/II", "type I; II"],
  ["i. v. or oral", "i. v.; oral"],
  ["وجع وورم والدم", "وجع; ورم; الدم"],
  ["ألم شديد وزن", "ألم شديد وزن"],
];
for (const [text, expected] of PARTS)
  test(text, () => assert.deepEqual(show(combinations([[0, text.length]], text), text), expected.split("; ")));
