"""Rules against figures: severities, guide minima, own limits, what cannot be computed."""

import numpy as np
import pytest

from ftbuild import build as builds
from ftbuild.catalog import load_catalog
from ftbuild.engine.core import Figure, FigureSpec, Rule, Severity
from ftbuild.engine.inputs import Columns
from ftbuild.engine.judge import findings, judge
from ftbuild.problems import BuildError
from ftbuild.units import Kind

BASE = {"workload": {"model": "llama-3.1-8b"}, "hardware": {"gpu": "h100"}}


def figures(**values):
    return {
        name: Figure(
            FigureSpec(name, name, Kind.POWER, "", ""), np.atleast_1d(np.asarray(value, dtype=float))
        )
        for name, value in values.items()
    }


def rule(**changes):
    row = {
        "id": "power.most", "title": "Draw", "severity": Severity.VIOLATION, "figure": "draw", "limit": 100.0,
        "fields": ("power.psu",), "message": "", "source": "test", "doc": "test",
    }  # fmt: skip
    return Rule(**{**row, **changes})


def columns(**limits):
    return Columns(builds.read({**BASE, "limits": limits}), load_catalog())


def levels(rules, values, c=None):
    return [one.level.tolist() for one in judge(c or columns(), figures(**values), rules)]


def test_a_value_over_an_upper_limit_is_missed_and_one_at_it_is_not():
    assert levels([rule()], {"draw": [99, 100, 101]}) == [[0, 0, 3]]


def test_a_value_under_a_lower_limit_is_missed():
    assert levels([rule(sense="at_least")], {"draw": [99, 100, 101]}) == [[3, 0, 0]]


def test_a_value_close_to_its_limit_is_a_warning():
    assert levels([rule(warn=0.9)], {"draw": [89, 95, 101]}) == [[0, 2, 3]]
    assert levels([rule(warn=0.5, sense="at_least")], {"draw": [99, 150, 201]}) == [[3, 2, 0]]


def test_a_limit_may_be_another_figure():
    assert levels([rule(limit="capacity")], {"draw": [50, 50], "capacity": [40, 60]}) == [[3, 0]]


def test_a_rule_says_nothing_where_it_does_not_apply():
    c = columns()
    applies = rule(when=lambda _, done: done["draw"].value > 100)
    assert levels([applies], {"draw": [50, 150]}, c) == [[-1, 3]]
    assert findings(c, judge(c, figures(draw=50), [applies])) == ()


def test_what_cannot_be_computed_is_said_to_be_unknown_and_not_violated():
    c = columns()
    (finding,) = findings(c, judge(c, figures(draw=np.nan), [rule()]))
    assert finding.unknown
    assert finding.severity is Severity.OK


GUIDE = rule(id="power.guide", guide=True, need="power.most", limit=10.0)


@pytest.mark.parametrize(
    ("draw", "expected"),
    [(5, 0), (50, 2), (150, 3), (np.nan, 0)],
)
def test_a_guide_limit_is_a_violation_only_where_the_need_is_missed_too(draw, expected):
    assert levels([rule(), GUIDE], {"draw": draw})[1] == [expected]


def test_a_guide_limit_is_a_violation_where_the_need_cannot_be_computed():
    need = rule(figure="need")
    assert levels([need, GUIDE], {"draw": 50, "need": np.nan})[1] == [3]


def test_the_guides_profile_counts_its_limits_as_written():
    c = columns(profile="guide")
    assert levels([rule(), GUIDE], {"draw": 50}, c)[1] == [3]


def test_a_softened_finding_says_so():
    c = columns()
    finding = findings(c, judge(c, figures(draw=50), [rule(), GUIDE]))[1]
    assert finding.softened
    assert finding.severity is Severity.WARNING


def test_a_build_sets_its_own_limit_with_a_unit():
    assert levels([rule()], {"draw": [1900, 2100]}, columns(**{"power.most": "2kW"})) == [[0, 3]]


@pytest.mark.parametrize(
    ("limits", "key"),
    [
        ({"power.mist": 3}, "limits.power.mist"),
        ({"power.most": "2 GB"}, "limits.power.most"),
        ({"profile": "x"}, "limits.profile"),
    ],
)
def test_a_limit_that_is_none_is_refused_by_name(limits, key):
    with pytest.raises(BuildError) as error:
        levels([rule()], {"draw": 1}, columns(**limits))
    assert error.value.problems[0].key == key


def test_margin_is_what_is_left():
    c = columns()
    over, under = (
        findings(c, judge(c, figures(draw=150), [rule(sense=s)]))[0].margin for s in ("at_most", "at_least")
    )
    assert (over, under) == (-50, 50)


def test_a_build_s_own_limit_tightens_a_capacity_and_never_loosens_it():
    capacity = rule(limit="capacity")
    values = {"draw": 50, "capacity": 40}
    assert levels([capacity], values, columns(**{"power.most": 200})) == [[3]]
    assert levels([capacity], {**values, "capacity": 100}, columns(**{"power.most": 45})) == [[3]]
    least = rule(limit="capacity", sense="at_least")
    assert levels([least], values, columns(**{"power.most": 10})) == [[0]]
    assert levels([least], values, columns(**{"power.most": 60})) == [[3]]


def test_a_threshold_of_the_guide_may_be_loosened():
    loose = rule(limit="capacity", guide=True)
    assert levels([loose], {"draw": 50, "capacity": 40}, columns(**{"power.most": 200})) == [[0]]


def test_a_negative_limit_is_refused():
    with pytest.raises(BuildError, match="negative"):
        levels([rule()], {"draw": 1}, columns(**{"power.most": "-5 W"}))


def test_a_limit_of_the_build_s_own_is_not_blamed_on_the_guide():
    worded = rule(message="the guide wants {limit}", ok="the guide wants {limit}")
    for own in (60, 40):
        c = columns(**{"power.most": own})
        (found,) = findings(c, judge(c, figures(draw=50), [worded]))
        assert "guide" not in found.rule.message + found.rule.ok
    (found,) = findings(columns(), judge(columns(), figures(draw=50), [worded]))
    assert "guide" in found.rule.message
