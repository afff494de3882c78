"""Creating entities in a browser, by mouse and by keyboard."""

import pytest
from annotation_page import ActionChains, By, Keys

pytestmark = pytest.mark.slow


def test_type_first(page):
    page.write()
    page.drag("severe")
    page.press("3")
    page.drag("Mild")
    assert page.entities() == ["ADE severe", "SYMPTOM Mild"]
    # the type key deselected the entity
    page.press("2")
    page.drag("back", key=Keys.SHIFT)
    page.press("1")
    assert page.entities() == ["ADE severe", "DRUG back", "SYMPTOM Mild"]
    # an entity that the user selects is changed
    page.click_bar("DRUG: back")
    page.press("3")
    page.until(lambda: "ADE severe" in page.entities() and "SYMPTOM back" in page.entities())
    said = "Changed DRUG “back” to SYMPTOM “back”."
    assert page.find("said").text == said
    page.drag("pain", key=Keys.SHIFT)
    page.drag("Naproxen")
    page.until(lambda: "SYMPTOM Naproxen" in page.entities())


def test_words_first(page):
    page.write()
    page.choose("type-order", "words")
    page.drag("severe")
    page.press("3")
    page.drag("Mild")
    page.press("2")
    assert page.entities() == ["DRUG Mild", "SYMPTOM severe"]
    flashing = "return document.getAnimations().map(a => a.effect.target.dataset.type)"
    assert page.browser.execute_script(flashing) == ["DRUG"]
    # the order is remembered
    page.load()
    page.drag("joint")
    page.press("1")
    assert page.entities() == ["ADE joint", "DRUG Mild", "SYMPTOM severe"]


def test_entities_by_mouse(page):
    page.write()
    page.choose("type-order", "words")
    page.drag("severe", "joint")
    assert page.entities() == ["ADE severe joint"]
    page.drag("pain", key=Keys.SHIFT)
    assert page.entities() == ["ADE severe joint pain"]
    page.click_label("2DRUG")
    assert page.entities() == ["DRUG severe joint pain"]
    # words of the entity are removed
    page.drag("severe", key=Keys.SHIFT)
    assert page.entities() == ["DRUG joint pain"]
    page.find("chosen").find_element(By.CSS_SELECTOR, "[aria-label='Remove pain']").click()
    page.click("add")
    page.drag("Mild")
    assert page.entities() == ["DRUG joint Mild"]
    page.click("delete")
    page.click("undo")
    assert page.entities() == ["DRUG joint Mild"]
    page.click("redo")
    assert page.entities() == []
    ActionChains(page.browser).double_click(page.word("nausea")).perform()
    page.until(lambda: page.entities() == ["DRUG nausea"])
    # the first click redraws the word
    page.drag("Mild", "nausea")
    ActionChains(page.browser).double_click(page.word("Mild")).perform()
    page.until(lambda: page.entities() == ["DRUG Mild", "DRUG Mild nausea", "DRUG nausea"])


def test_steps_and_undo_from_a_word_without_an_entity(page):
    page.write(ann="T1\tDRUG 0 8\tNaproxen\nT2\tADE 46 50\tpain\n")
    undo, redo = (
        page.browser.find_element(By.CSS_SELECTOR, f"[data-command={name}]")
        for name in ("undo", "redo")
    )
    # two clicks on the same word would create an entity
    for word, held, label in (("joint", [Keys.SHIFT], "DRUG"), ("back", [], "ADE")):
        page.word(word).click()
        page.press(" ", held=held)
        page.until(lambda label=label: page.find("chosen").text.startswith(label))
    assert [undo.is_enabled(), redo.is_enabled()] == [False, False]
    page.press(Keys.DELETE)
    assert [undo.is_enabled(), redo.is_enabled()] == [True, False]
    page.click("undo")
    assert [undo.is_enabled(), redo.is_enabled()] == [False, True]


def test_entities_by_keyboard(page):
    page.write()
    page.choose("type-order", "words")
    page.press(Keys.RIGHT * 2)
    page.press(Keys.RIGHT, held=[Keys.SHIFT])
    page.press(Keys.ENTER)
    assert page.entities() == ["ADE severe joint"]
    # from the last word of the entity: comma, shoulder, and, back, pain
    page.press(Keys.RIGHT * 5, "+")
    assert page.entities() == ["ADE severe joint pain"]
    page.press("3")
    assert page.entities() == ["SYMPTOM severe joint pain"]
    page.press(Keys.BACKSPACE, Keys.DELETE)
    assert page.entities() == []
    page.press("zz", held=[Keys.CONTROL])
    assert page.entities() == ["SYMPTOM severe joint pain"]
    page.press("z", held=[Keys.CONTROL, Keys.SHIFT])
    assert page.entities() == ["SYMPTOM severe joint"]
    page.press("y", held=[Keys.CONTROL])
    assert page.entities() == []
    page.press(Keys.ESCAPE, Keys.DOWN)
    page.press(Keys.LEFT, held=[Keys.SHIFT])
    page.press("2")
    assert len(page.entities()) == 1


def test_long_moves(page):
    def at():
        script = "return document.querySelector('.word.cursor').firstChild.textContent.trim()"
        return page.browser.execute_script(script)

    page.write("\n".join(f"a{n} line b{n}" for n in range(300)))
    found = []
    for key, held in [
        *[(Keys.END, []), (Keys.HOME, []), (Keys.PAGE_DOWN, []), (Keys.PAGE_UP, [])],
        *[(Keys.END, [Keys.CONTROL]), (Keys.HOME, [Keys.CONTROL])],
    ]:
        page.press(key, held=held)
        found.append(at())
    assert int(found[2][1:]) in range(10, 60)
    assert [*found[:2], *found[3:]] == ["b0", "a0", "a0", "b299", "a0"]
    page.press(Keys.END, held=[Keys.SHIFT])
    page.press(Keys.ENTER)
    assert page.entities() == ["ADE a0 line b0"]
    # find words, and create an entity from them
    page.press("f", held=[Keys.CONTROL])
    page.press("LINE b29", Keys.ENTER)
    assert page.find("find-count").text == "2 of 11"
    page.press(Keys.ESCAPE, "2", Keys.ESCAPE)
    page.until(lambda: "DRUG line b29" in page.entities())


def test_characters_and_selections(page):
    page.write("hypertension now")
    width = page.word("hypertension").size["width"]
    page.drag("hypertension", key=Keys.ALT, from_x=4 - width // 2, to_x=-25)
    [made] = page.entities()
    assert "ADE hypertensio".startswith(made)
    page.press(Keys.DELETE)
    page.press(*[Keys.RIGHT] * 6, held=[Keys.ALT])
    page.press(Keys.RIGHT, held=[Keys.SHIFT])
    page.press(Keys.ENTER)
    page.until(lambda: page.entities() == ["ADE tension"])
    # marks belong to their letter
    page.write("खाँसी", ann="")
    page.press(Keys.RIGHT, held=[Keys.ALT])
    page.press(Keys.ENTER)
    page.until(lambda: page.entities() == ["ADE खाँ"])
    # browser selections, as made by touch, followed by the button
    page.write(ann="")
    script = "const [from, to] = [...arguments].map((word) => word.firstChild);"
    script += "getSelection().setBaseAndExtent(from, 0, to, 4)"
    page.browser.execute_script(script, page.word("back"), page.word("pain"))
    page.click("make")
    page.browser.execute_script(script, page.word("severe"), page.word("back"))
    page.click_label("2DRUG")
    assert page.entities() == ["ADE back pain", "DRUG severe joint, shoulder and back"]


def test_coordination(page):
    page.write()
    page.drag("severe", "pain")
    page.press("c")
    split = ["ADE severe joint … pain", "ADE severe … shoulder … pain", "ADE severe … back pain"]
    assert page.choices() == split
    assert page.hint() == "Shared by all: “severe” and “pain”."
    # fewer shared words at the start and at the end, and more again
    page.press("XY")
    assert page.choices() == ["ADE severe joint", "ADE shoulder", "ADE back pain"]
    assert page.hint() == "Shared by all: nothing."
    page.press("xy")
    assert page.choices() == split
    page.press("c")
    assert page.choices() != split
    page.press(Keys.ESCAPE)
    for word in ("severe", "pain") * 2:
        page.drag(word, key=Keys.SHIFT)
    page.click("split")
    assert page.choices() == split
    page.press("2", Keys.ENTER)
    assert page.entities() == ["ADE severe back pain", "ADE severe joint pain"]
    page.press("z", held=[Keys.CONTROL])
    assert page.entities() == ["ADE severe joint, shoulder and back pain"]
    page.press(" ", "c")
    assert page.choices() == split
    page.find("choice").find_elements(By.TAG_NAME, "input")[0].click()
    page.find("choice").find_element(By.CSS_SELECTOR, "button.main").click()
    assert page.entities() == ["ADE severe back pain", "ADE severe shoulder pain"]


def test_words_that_are_left_out(page):
    page.write("physical or psychological concomitant diseases")
    page.drag("physical", "diseases")
    page.press("c")
    whole = ["ADE physical … concomitant diseases", "ADE psychological concomitant diseases"]
    assert page.choices() == whole
    page.press("e")
    assert page.choices() == ["ADE physical … diseases", "ADE psychological … diseases"]
    pressed = page.find("choice").find_elements(By.CSS_SELECTOR, "[aria-pressed=false]")
    assert [button.accessible_name for button in pressed] == ["concomitant"]
    page.press("e")
    assert page.choices() == whole
    page.press("e", Keys.ENTER)
    assert page.entities() == ["ADE physical diseases", "ADE psychological diseases"]


def test_equal_words(page):
    page.name = "equal_elsewhere"
    page.write("Iota pain. A iota pain.", ann="")
    page.name = "equal"
    ann = "T1\tDRUG 11 21\tiota  pain\n"
    page.write("Iota pain, iota  pain, and iotapain and iota pain.", ann=ann)
    page.drag("Iota", "pain")
    page.press("e")
    dialog = page.find("choice")
    page.until(lambda: "Annotate all as ADE: 1 in this text" in dialog.text)
    assert "Change all to ADE: 1 in this text" in dialog.text
    page.press("1")
    page.until(lambda: len(page.entities()) == 3)
    page.press("z", held=[Keys.CONTROL])
    page.until(lambda: len(page.entities()) == 2)
    page.press("e", "o")
    page.until(lambda: "ADE: 1 here, 2 in 1 other text" in dialog.text)
    page.press("1")
    page.until(lambda: "in the other texts 2 entities" in page.find("said").text)
    page.name = "equal_elsewhere"
    assert page.entities() == ["ADE Iota pain", "ADE iota pain"]


def test_suggestions_from_other_entities(page):
    page.name = "other"
    page.write("Hepatitis B virus infection.", ann="T1\tADE 0 27\tHepatitis B virus infection\n")
    page.name = "split"
    page.write("hepatitis B or C virus infection")
    page.drag("hepatitis", "infection")
    page.press("c")
    infections = ["hepatitis B … virus infection", "hepatitis … C virus infection"]
    assert page.choices() == [f"ADE {words}" for words in infections]
    page.press(Keys.ENTER)
    page.until(lambda: len(page.entities()) == 2)


def test_uncertain_suggestions(page):
    words = "pain or old swelling, rash of arm, leg or old red skin of hand"
    page.write(words)
    page.drag("pain", "hand")
    page.press("c")
    page.until(lambda: "uncertain" in page.hint())
    page.press(Keys.ENTER)
    page.until(lambda: page.find("said").text == "No entities were selected.")
    assert page.entities() == [f"ADE {words}"]
    page.press("c", "a", Keys.ENTER)
    page.until(lambda: len(page.entities()) > 2)


COMBINE = """
const [marked, done] = arguments;
import(new URL('js/coordination.js', location)).then(({combinations}) => {
  const text = marked.join(' ~ ');
  const ranges = marked.map((words) => [text.indexOf(words), text.indexOf(words) + words.length]);
  done(combinations(ranges, text).map(
    (fragments) => fragments.map(([start, end]) => text.slice(start, end)).join('_')));
});
"""


COORDINATIONS = [
    (["joint, shoulder, and back", "pain"], "joint_pain; shoulder_pain; back_pain"),
    (["nausea and/or vomiting"], "nausea; vomiting"),
    (["a dose of 1,000 mg or 120/80"], "a dose of 1,000 mg; 120/80"),
    (["Arm- und Beinschmerzen"], "Arm-; Beinschmerzen"),
    (["douleur et fièvre"], "douleur; fièvre"),
    (["android use"], "android use"),
    (["liver or lung", "mild and severe"], "liver_mild; liver_severe; lung_mild; lung_severe"),
    (["الرأس و البطن"], "الرأس; البطن"),
    # decomposed letters, which do not end before their marks
    (["do\u0301lor o o\u0301seo"], "do\u0301lor; o\u0301seo"),
    (["đa\u0302\u0300u va\u0300 lưng"], "đa\u0302\u0300u; lưng"),
    (["सिर और पीठ"], "सिर; पीठ"),
    (["头部和颈部、饱和度", "疼痛"], "头部_疼痛; 颈部_疼痛; 饱和度_疼痛"),
    (["头痛或者発熱または違和感"], "头痛; 発熱; 違和感"),
]


def test_parts_of_coordinations(page):
    page.write()
    for marked, parts in COORDINATIONS:
        assert page.browser.execute_async_script(COMBINE, marked) == parts.split("; ")


def test_selecting_overlapping_entities(page):
    ann = "T1\tADE 21 26\tjoint\nT2\tDRUG 14 26\tsevere joint\nT3\tADE 14 20;46 50\tsevere pain\n"
    page.write(ann=ann)
    chosen = []
    for _ in range(3):
        page.press(" ")
        chosen.append(page.find("chosen").text)
    assert [text.split("\n")[0] for text in chosen] == ["ADE", "DRUG", "ADE"]
    page.press(Keys.ESCAPE)
    assert "Drag over words" in page.find("chosen").text
    page.click_bar("ADE: joint")
    page.press(Keys.DELETE)
    assert page.entities() == ["ADE severe pain", "DRUG severe joint"]


def test_right_to_left_and_astral(page):
    page.write("😀 ألم شديد في الرأس")
    page.drag("شديد")
    page.press(Keys.LEFT * 2, "+")
    page.saved()
    assert page.ann.read_text(encoding="utf-8").startswith("T1\tADE 6 10;14 19\tشديد الرأس")
    block = page.browser.find_element(By.CSS_SELECTOR, ".block")
    assert block.get_attribute("dir") == "rtl"
