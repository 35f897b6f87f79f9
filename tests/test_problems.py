"""What messages say: names that are close, and nothing of Python."""

import tomllib

import pytest

from ftbuild.problems import did_you_mean, nearest, syntax_mistake


@pytest.mark.parametrize(
    ("found", "known", "near"),
    [
        ("h1000", ("h100", "v100", "a100"), ("h100",)),
        ("h10", ("h100", "h200"), ("h100",)),
        ("adamv", ("adamw", "adam", "lion"), ("adam", "adamw")),
        ("toaster", ("gpu", "cpu"), ()),
    ],
)
def test_only_what_is_about_as_close_as_the_closest_is_suggested(found, known, near):
    assert set(nearest(found, known)) == set(near)


def test_nothing_close_is_nothing_said():
    assert did_you_mean("toaster", ("gpu",)) == ""


@pytest.mark.parametrize("text", ["a = " + "9" * 5000, "a = 1" + "_1" * 5000])
def test_a_huge_integer_brings_no_advice_on_python(text):
    with pytest.raises(ValueError) as caught:
        tomllib.loads(text)
    assert syntax_mistake(caught.value) == "an integer of too many digits"
