import pytest

from project.docs.docstrings import to_field_lists


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("Do it.", "Do it."),
        (
            """Do it.

doc (Doc): The document,
    with its text.
n (Optional[int]): A number.
RETURNS (tuple[str, ...]): Names.
RAISES (ValueError): If it
    cannot.
RAISES: What doc raises.""",
            """Do it.

:type doc: Doc
:param doc: The document,
    with its text.
:type n: Optional[int]
:param n: A number.
:rtype: tuple[str, ...]
:returns: Names.
:raises ValueError: If it
    cannot.
:raises: What doc raises.""",
        ),
        # nothing before the first field
        ("RETURNS (int): A number.", ":rtype: int\n:returns: A number."),
        ("YIELDS (Doc): Docs.", ":rtype: Doc\n:yields: Docs."),
        # no empty line before the first field
        ("Do it.\nn (int): A number.", "Do it.\n\n:type n: int\n:param n: A number."),
        # text after the fields
        ("n (int): A number.\nMore.", ":type n: int\n:param n: A number.\n\nMore."),
        # names that reStructuredText would take for something else
        (
            "label_ (str): Type.\n**options: Others.\n*args (int): Numbers.",
            ":type label\\_: str\n:param label\\_: Type.\n:param \\*\\*options: Others.\n"
            ":type \\*args: int\n:param \\*args: Numbers.",
        ),
        # several names in a line
        ("a (int), b (float): Both.", ":param a,b: Both."),
        ("a (int): A.\nb, ..., d: All.", ":type a: int\n:param a: A.\n:param b,…,d: All."),
        ("First, second: no field.", None),
        # brackets within the type
        ("f (Callable[[int], (a)]): F.", ":type f: Callable[[int], (a)]\n:param f: F."),
        ("    n (int): Indented.\nA word (int), no field: so.", None),
    ],
)
def test_fields(docstring, expected):
    assert "\n".join(to_field_lists(docstring.split("\n"))) == (expected or docstring)
