"""Quantities: what people type gives the SI value, and what is written reads back to the same."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftbuild import units
from ftbuild.units import Kind

GIB = 1024**3


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("128GB", Kind.MEMORY, 128 * GIB),
        ("1.5 TB", Kind.MEMORY, 1.5 * 1024 * GIB),
        ("64GiB", Kind.MEMORY, 64 * GIB),
        (128, Kind.MEMORY, 128 * GIB),
        ("50GB", Kind.STORAGE, 50e9),
        ("1.5 TB", Kind.STORAGE, 1.5e12),
        ("64GiB", Kind.STORAGE, 64 * GIB),
        ("14 GB/s", Kind.RATE, 14e9),
        ("550 MB/s", Kind.RATE, 550e6),
        ("400 Gbps", Kind.LINK, 400e9),
        ("400G", Kind.LINK, 400e9),
        ("20kW", Kind.POWER, 20e3),
        (3000, Kind.POWER, 3000),
        ("8k", Kind.TOKENS, 8192),
        ("4,096", Kind.TOKENS, 4096),
        ("70B", Kind.PARAMETERS, 70e9),
        ("100k", Kind.COUNT, 100_000),
        ("30min", Kind.DURATION, 1800),
        ("2h", Kind.DURATION, 7200),
        ("80%", Kind.SHARE, 0.8),
        ("2x", Kind.RATIO, 2),
        ("$28,500", Kind.MONEY, 28500),
        ("1.2M", Kind.MONEY, 1.2e6),
        ("3.1e6", Kind.IOPS, 3.1e6),
        ("6400", Kind.TRANSFERS, 6400),
        ("32A", Kind.CURRENT, 32),
    ],
)
def test_what_people_type_gives_the_si_value(text, kind, value):
    assert units.parse(text, kind) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GB",
        "1 2",
        "1..2",
        "nan",
        "inf",
        "1e999",
        "-",
        "0x10",
        "12 parsecs",
        "\x1b[31m5",
        "٣",
        "1" * 80,
        "1e400GB",
    ],
)
@pytest.mark.parametrize("kind", list(Kind))
def test_what_is_not_a_finite_quantity_is_refused(text, kind):
    with pytest.raises(units.UnitError) as error:
        units.parse(text, kind)
    assert "such as" in error.value.expected
    assert "\x1b" not in str(error.value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, None, [], {}, 10**400])
def test_values_that_are_no_numbers_are_refused(value):
    with pytest.raises(units.UnitError):
        units.parse(value, Kind.POWER)


def test_a_dollar_sign_stands_before_money_only():
    with pytest.raises(units.UnitError):
        units.parse("$5", Kind.POWER)


@given(kind=st.sampled_from(list(Kind)), value=st.floats(1e-6, 1e18, allow_nan=False))
def test_what_is_written_reads_back_to_the_same_value(kind, value):
    assert units.parse(units.write(value, kind), kind) == value


@given(kind=st.sampled_from(list(Kind)), value=st.floats(allow_nan=True, allow_infinity=True))
def test_any_float_can_be_shown_on_one_printable_line(kind, value):
    text = units.show(value, kind)
    assert text.isprintable()
    assert text


@given(kind=st.sampled_from(list(Kind)), text=st.text(max_size=80))
def test_any_text_is_read_or_refused(kind, text):
    try:
        assert math.isfinite(units.parse(text, kind))
    except units.UnitError as error:
        assert str(error).isprintable()


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (79.1 * GIB, Kind.MEMORY, "79.1 GiB"),
        (56e9, Kind.RATE, "56.0 GB/s"),
        (4600, Kind.POWER, "4.60 kW"),
        (4800, Kind.TRANSFERS, "4,800 MT/s"),
        (175_000, Kind.MONEY, "$175,000"),
        (1.89, Kind.MONEY_PER_HOUR, "$1.89/h"),
        (math.nan, Kind.POWER, "unknown"),
        (math.inf, Kind.POWER, "no limit"),
        (0.5, Kind.SHARE, "50.0 %"),
        (2.5, Kind.RATIO, "2.50x"),
        (192, Kind.COUNT, "192"),
    ],
)
def test_values_are_shown_in_the_unit_of_their_size(value, kind, text):
    assert units.show(value, kind) == text
