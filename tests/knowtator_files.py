"""Synthetic annotation files of Knowtator."""

TEXT = "hair and root cells\n"


def fragments(record):
    return [(e.label, e.fragments) for e in record.entities]


def version_1(name, *annotations):
    body = ""
    for number, (label, spans, surface) in enumerate(annotations):
        tags = "".join(f'<span start="{s}" end="{e}"/>' for s, e in spans)
        body += (
            f'<annotation>\n<mention id="I_{number}"/><annotator id="A">A</annotator>{tags}'
            f"<spannedText>{surface}</spannedText></annotation>\n"
        )
        if label:
            body += (
                f'<classMention id="I_{number}"><mentionClass id="{label}">x</mentionClass>'
                "</classMention>\n"
            )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f'{head}<annotations textSource="{name}">\n{body}</annotations>\n'


VERSION_2 = """<?xml version="1.0" encoding="UTF-8"?>
<knowtator-project><document id="1" text-file="1.txt">
<annotation annotator="Default" id="a1" motivation="" type="identity">
  <class id="X:1" label="'x'"/>
  <span end="19" id="s2" start="14">cells</span><span end="4" id="s1" start="0">hair</span>
</annotation>
<graph-space id="g"><vertex id="n" annotation="a1"/><triple id="e"/></graph-space>
</document></knowtator-project>
"""
HAIR_CELLS = ("CL:1", [(0, 4), (14, 19)], "hair ... cells")
