"""Unusual texts."""

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
