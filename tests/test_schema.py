"""What a field says of itself is enough for a form, a schema and an error."""

import pytest

from ftbuild.build import ALIASES, FIELDS, SCHEMA_VERSION
from ftbuild.jsonschema import json_schema, key_lines
from ftbuild.schema import Choice, Number, Part, Text, Threshold, Words
from ftbuild.units import Kind


@pytest.mark.parametrize("key", list(FIELDS))
def test_every_field_has_a_short_label_and_says_what_it_accepts(key):
    spec = FIELDS[key]
    assert 0 < len(spec.described.label) <= 18
    assert spec.described.accepts()
    assert spec.key == key


@pytest.mark.parametrize("key", list(FIELDS))
def test_every_default_is_a_value_of_its_field(key):
    spec = FIELDS[key]
    if spec.required:
        return
    if spec.default is None:
        assert spec.optional
    elif isinstance(spec.described, Number):
        assert spec.described.low <= spec.default <= spec.described.high
    else:
        assert spec.described.read(spec.default) == spec.default


@pytest.mark.parametrize("key", [key for key, spec in FIELDS.items() if isinstance(spec.described, Choice)])
def test_names_of_choices_are_lower_case_and_once(key):
    described = FIELDS[key].described
    assert isinstance(described, Choice)
    choices = described.choices
    assert len(set(choices)) == len(choices)
    assert all(choice == choice.casefold() for choice in choices)


def test_aliases_lead_to_fields_and_are_none_themselves():
    assert set(ALIASES.values()) <= set(FIELDS)
    assert not set(ALIASES) & set(FIELDS)


def test_hostile_text_is_named_without_being_shown():
    with pytest.raises(Exception, match="U\\+001B"):
        Text("Name", longest=80).read("a\x1b[2Jb")


@pytest.mark.parametrize(
    ("described", "value"),
    [
        (Words("Targets", choices=("all",)), ["q_proj", "\x1b"]),
        (Words("Targets", choices=("all",)), ["x"] * 65),
        (Words("Targets", choices=("all",)), []),
        (Words("Targets", choices=("all",)), "q proj; rm"),
        (Threshold("Limit"), "\x07"),
        (Threshold("Limit"), float("nan")),
        (Threshold("Limit"), True),
        (Part("GPU", part="gpu"), "  "),
        (Part("GPU", part="gpu"), 3),
        (Part("Rent", part="rent", number=Kind.MONEY_PER_HOUR), -1),
    ],
)
def test_what_a_field_cannot_hold_is_refused(described, value):
    with pytest.raises(ValueError, match="accepted"):
        described.read(value)


def test_a_price_is_a_name_or_a_number():
    rent = Part("Rent", part="rent", number=Kind.MONEY_PER_HOUR)
    assert rent.read("1.89") == 1.89
    assert rent.read("lambda/h100") == "lambda/h100"


def test_the_json_schema_holds_every_key_with_its_title_and_default():
    schema = json_schema()
    for key, spec in FIELDS.items():
        entry = schema
        for name in key.split("."):
            entry = entry["properties"][name]
        assert entry["title"] == spec.described.label
        assert "Accepts" in entry["description"]
        assert ("default" in entry) == (not spec.required and spec.default is not None)
    assert schema["required"] == ["workload", "hardware"]
    assert str(SCHEMA_VERSION) in schema["title"]


def test_every_key_has_a_line_of_text():
    assert len(key_lines()) == len(FIELDS)
    assert all(line.isprintable() for line in key_lines())


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("ftbuild", "schema version 1; a file of a newer one needs a newer ftbuild"),
        ("workload.micro_batch", "1 to 65,536"),
        ("hardware.ram", "1 byte to 8.88 PiB, such as 128GB, 1.5 TB or 64GiB"),
        ("workload.epochs", "0.001 to 10,000"),
        ("workload.checkpoint_every", "1 s to 365 d, such as 30min, 90 s or 2h"),
        ("power.pue", "1x to 4x, such as 2.0 or 2x"),
        ("cost.years", "0.1 y to 20 y, such as 3"),
    ],
)
def test_a_range_is_said_as_people_write_it(key, words):
    assert FIELDS[key].described.accepts() == words
