import pytest

from project.docs.included import rewrite_links


@pytest.mark.parametrize(
    ("document", "text", "expected"),
    [
        ("README.md", "see [a](configs/README.md).", "see [a](settings.md)."),
        ("configs/README.md", "[a](../project/README.md#x)", "[a](experiments.md#x)"),
        ("README.md", "[a](project/docs/annotating.md#in-brat)", "[a](annotating.md#in-brat)"),
        ("README.md", "![a](project/docs/annotate.png)", "![a](annotate.png)"),
        ("README.md", "[a](https://spacy.io/x) [b](#c)", "[a](https://spacy.io/x) [b](#c)"),
        ("README.md", "```\n[a](LICENSE)\n```\n[b](LICENSE)", "```\n[a](LICENSE)\n```\nb"),
    ],
)
def test_links(document, text, expected):
    assert rewrite_links(text, document) == expected
