"""Invalid files: the error shows in one line what is wrong, and where."""

import pytest

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import read

GOOD = '{"text": "a", "entities": []}\n'
SENTENCE = '{"sentence": ["a"], "ner": []}'
PASSAGES = '{"documents": [{"id": "1", "passages": [%s]}]}'
XML = (
    "<collection><document><id>d1</id><passage><offset>0</offset><text>Joint pain</text>"
    '<annotation id="T1"><infon key="type">A</infon><location offset="0" length="5"/></annotation>'
    "</passage><passage><offset>11</offset><text>x</text></passage></document></collection>"
)
ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><%s>&b;</%s>'

# format, content of a file or files of a folder, and message
FILES = {
    "jsonl": [
        ('{"text": "a"}\n', 'a:1 has no "entities"'),
        (GOOD + '{"entities": []}\n', 'a:2 is not an object with a string "text"'),
        (GOOD + "{", "a:2 is not JSON"),
        (b'{"text": "\xe9"}', "a:1 is not UTF-8"),
    ],
    "w2ner": [
        ("", "empty"),
        (f'[{SENTENCE},\n {{"sent', "a is not JSON: .* line 2"),
        ('{"sentence": ["a"]}', ':1 has no "ner"'),
        ('[{"sentence": "a b", "ner": []}]', "record 1 has no list of tokens"),
    ],
    "inline": [
        ("a b\n0,0\n\n", "a:1 is not inline text"),
        ("a b\n\n\na b\n0,0 X\nc d\n\n\n", "a:4 is not inline text"),
        ("a b\n\nc d\n\n", "is not inline text"),
        ("Document: A\n\n0,0 X\n\n", "a:2 is not inline text"),
    ],
    "conll": [
        ("a O\nb x\n", ":2: 'x' is not a tag such as O or B-ADE"),
        ("a\n", "'a' is not a tag"),
    ],
    "pubtator": [("1\t2\n", "is not a title")],
    "prodigy": [('{"spans": []}', 'not an object with a string "text"')],
    "doccano": [('{"text": "a"}', 'a:1 has no "label"')],
    "labelstudio": [
        ("[1]", 'no tasks with "data"'),
        ('{"data": {}, "annotations": [{"result": []}]}', 'no "text"'),
    ],
    "pubannotation": [(content, "/a (is not JSON|contains no)") for content in ("[", "[1]", "{}")],
    "bioc": [
        ("<collection>", "cannot be read as XML"),
        ("<other/>", "no <collection>"),
        (ENTITIES % ("collection", "collection"), "cannot be read as XML"),
        (XML.replace('offset="0"', 'offset="x"'), "a, d1 is malformed .*'x'"),
        (XML.replace("<offset>11", "<offset>5"), "passages that overlap or .* at offset 5"),
        ('<?xml version="1.0" encoding="x"?>' + XML, "cannot be read as XML: unknown encoding"),
        ({"a.json": '{"documents": [1]}'}, 'no list of "documents"'),
        ({"a.json": PASSAGES % '{"text": "a"}'}, 'a.json, 1 has no "offset"'),
    ],
    "brat": [
        ({}, "contains no .txt or .ann"),
        ({"a.txt": "x"}, "contains no .ann"),
        ({"a.ann": "T1\tA 0 1\tx\n"}, r"a\.ann has no text"),
        ({"a.txt": "x", "a.ann": "<xml>\n"}, r"a\.ann:1 is not brat standoff"),
        ({"a.txt": b"na\xefve", "a.ann": ""}, r"a\.txt is not UTF-8: byte 0xef at position 2"),
    ],
}


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [(format, *case) for format, cases in FILES.items() for case in cases],
)
def test_what_cannot_be_read(write, report, nlp, format, content, message):
    is_folder = isinstance(content, dict)
    path = write(content if is_folder else {"a": content})
    with pytest.raises(GapDNERError, match=message) as error:
        list(read(path if is_folder else path / "a", format, nlp=nlp, report=report))
    assert "\n" not in str(error.value)
