"""Unusual texts."""

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.formats import DOC_NAME

ODD_TEXTS = {
    "empty": "",
    "one token": "aspirin",
    "spaces": "   \t  ",
    "line breaks": "\n\n\r\n\n",
    "emoji with joiners": "😀😀 👩‍👩‍👧 🇩🇪 took aspirin 🤒 .",
    "beyond the first plane": "𝒳-ray of 𠀀 and 𝒴 pain",
    "combining characters": "se\u0301ve\u0300re\u0323 pa\u0308in a\u0300\u0301\u0302 .",
    "right to left": "أخذ الأسبرين مرتين \u202b.\u202c",
    "CRLF": "severe\r\njoint\r\n\r\npain\r\n",
    "CR": "severe\rjoint\rpain",
    "line ends of Unicode": "severe\x85joint\u2028back\u2029and pain",
    "byte order mark": "\ufeffsevere pain",
    "no word piece": "\u200b \ufeff \u00ad took \u200d\u200d aspirin .",
    "markup": "<b>severe</b> &amp; \"pain\" 'x' ]]> <!--",
    "separators": "severe|joint;pain\tT1\tADR 0 3\tx || , #1",
    "name of a document": "Document: severe pain",
    "long word": "x" * 5000,
    "many marks": "(" * 3000,
    # not allowed in XML
    "form feed": "severe\x0cjoint \x0c and \x0b pain",
    "NUL": "severe \x00 pain\x00",
    "control characters": "severe\x01 \x1f pain\x7f",
    "no characters": "severe \ufffe pain\uffff",
}
NOT_IN_XML = {"form feed", "NUL", "control characters", "no characters"}


def annotate_odd_texts(nlp, label, disc_label, n_single, texts=ODD_TEXTS):
    """Docs in which each of the first tokens is an entity, and the first and last token are one."""
    docs = []
    for name, text in texts.items():
        doc = nlp(text)
        n = len(doc)
        entities = [Entity(label, ((i, i + 1),)) for i in range(min(n, n_single))]
        if n > 2:
            entities.append(Entity(disc_label, ((0, 1), (n - 1, n))))
        set_entities(doc, entities)
        doc.user_data[DOC_NAME] = name
        docs.append(doc)
    return docs
