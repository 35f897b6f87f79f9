"""The build: every field is read, refused with what would be accepted, set, and written."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftbuild import build as builds
from ftbuild.build import FIELDS
from ftbuild.problems import BuildError
from ftbuild.schema import Choice, Flag, Number, Part, Text, Words

SMALL = {"workload": {"model": "llama-3.1-8b"}, "hardware": {"gpu": "h100-sxm-80gb"}}


def read(**tables):
    return builds.read({**SMALL, **tables})


def problem_of(call):
    with pytest.raises(BuildError) as error:
        call()
    return error.value.problems[0]


def test_a_model_and_a_gpu_are_a_build():
    build = read()
    assert build.workload.method == "lora"
    assert build.hardware.nodes == 1


@pytest.mark.parametrize("missing", ["workload", "hardware"])
def test_what_has_no_default_must_be_there(missing):
    document = {name: table for name, table in SMALL.items() if name != missing}
    problem = problem_of(lambda: builds.read(document))
    assert problem.key == missing
    assert "missing" in problem.message


@pytest.mark.parametrize("key", [key for key, spec in FIELDS.items() if isinstance(spec.described, Number)])
@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, -1e30, 1e300, "NaN", "many", "", [1], {"a": 1}]
)
def test_no_number_field_takes_what_is_out_of_range_or_no_number(key, value):
    problem = problem_of(lambda: builds.changed(read(), {key: value}))
    assert problem.key == key
    assert problem.expected
    assert "accepted" in problem.message


@pytest.mark.parametrize("key", list(FIELDS))
@pytest.mark.parametrize("value", [[], {}, "\x1b]0;x\x07", "\u202eabc", "x" * 30_000, b"x"])
def test_no_field_takes_tables_control_characters_or_endless_text(key, value):
    assert problem_of(lambda: builds.changed(read(), {key: value})).key == key


@pytest.mark.parametrize("key", [key for key, spec in FIELDS.items() if isinstance(spec.described, Choice)])
def test_every_choice_is_taken_whatever_its_case(key):
    described = FIELDS[key].described
    assert isinstance(described, Choice)
    for choice in described.choices:
        try:
            build = builds.changed(read(), {key: choice.upper()})
        except BuildError as error:
            assert error.problems[0].found != choice  # another field must follow, such as more drives
        else:
            assert builds.get(build, key) == choice


def test_a_wrong_choice_names_the_nearest():
    problem = problem_of(lambda: builds.changed(read(), {"workload.optimizer": "adamw8bit"}))
    assert "adamw-8bit" in problem.expected


@pytest.mark.parametrize(
    ("tables", "key"),
    [
        ({"workload": {"model": "x", "method": "qlora", "quantization": "none"}}, "workload.quantization"),
        ({"hardware": {"gpu": "h100", "gpus_per_node": 4, "tensor_parallel": 3}}, "hardware.tensor_parallel"),
        ({"hardware": {"gpu": "h100", "offload": "nvme"}}, "hardware.offload"),
        ({"hardware": {"gpu": "h100", "ram_modules": 8}}, "hardware.ram_modules"),
        ({"storage": {"data_drives": 2, "data_raid": "5"}}, "storage.data_raid"),
        ({"storage": {"checkpoint_raid": "1"}}, "storage.checkpoint_raid"),
        ({"power": {"phases": 2}}, "power.phases"),
        ({"power": {"psu": 3000, "psus_per_node": 2, "redundancy": "2+2"}}, "power.redundancy"),
    ],
)
def test_relations_between_fields_are_held(tables, key):
    assert problem_of(lambda: read(**tables)).key == key


def test_every_problem_of_a_document_is_told():
    with pytest.raises(BuildError) as error:
        read(workload={"model": "x", "rank": -1, "epochs": "lots"}, power={"pue": 0})
    assert {problem.key for problem in error.value.problems} == {
        "workload.rank",
        "workload.epochs",
        "power.pue",
    }


def test_an_alias_is_the_key_it_stands_for():
    assert builds.changed(read(), {"workload.double_quantization": "no"}).workload.double_quant is False
    assert read(workload={"model": "x", "double_quantization": False}).workload.double_quant is False


def test_an_unknown_key_is_refused_with_the_nearest():
    problem = problem_of(lambda: builds.changed(read(), {"workload.micro_bach": 2}))
    assert "workload.micro_batch" in problem.expected


def test_prices_and_limits_are_set_by_their_own_names():
    build = builds.changed(read(), {"cost.price.h100-sxm-80gb": "$28,500", "limits.ram.ratio": 4})
    assert build.cost.price == {"h100-sxm-80gb": 28500}
    assert build.limits == {"ram.ratio": 4}
    assert builds.changed(build, {"limits.ram.ratio": None}).limits == {}


def test_a_changed_build_leaves_the_first_one_alone():
    build = read()
    assert builds.changed(build, {"hardware.nodes": 2}).hardware.nodes == 2
    assert build.hardware.nodes == 1


def values_of(spec):
    described = spec.described
    if isinstance(described, Number):
        if spec.integer:
            return st.integers(math.ceil(described.low), min(math.floor(described.high), 2**53 - 1))
        return st.floats(described.low, described.high)
    if isinstance(described, Choice):
        return st.sampled_from(described.choices)
    if isinstance(described, Flag):
        return st.booleans()
    if isinstance(described, Words):
        return st.sampled_from(described.choices) | st.just(("q_proj", "v_proj"))
    if isinstance(described, Part):
        return st.sampled_from(("h100-sxm-80gb", "meta-llama/Llama-3.1-8B", "a part/of [b]mine[/b]"))
    assert isinstance(described, Text)
    printable = st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cf"))
    return st.text(printable, max_size=40)


@given(data=st.data())
def test_what_a_build_writes_reads_back_to_the_same_build(data):
    build = read()
    for key in data.draw(st.lists(st.sampled_from(list(FIELDS)), max_size=6, unique=True)):
        spec = FIELDS[key]
        if key == "ftbuild":
            continue
        value = data.draw(values_of(spec))
        described = spec.described
        typed = builds.document._written(value, spec) if isinstance(described, Number) else value
        try:
            build = builds.changed(build, {key: typed})
        except BuildError:
            continue  # a relation to another field
    assert builds.read(builds.document_of(build)) == build
