import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftbuild.catalog import Catalog, CatalogError, load_catalog
from ftbuild.catalog.parts import Cpu, Drive, Gpu, MemoryModule, Model

CARD: dict[str, Any] = {
    "id": "z900-pcie-100gb", "vendor": "Zeta", "form": "pcie", "memory": 100, "memory_type": "HBM9",
    "bandwidth": 9000, "power": 900,
}  # fmt: skip


def with_card(**changes: Any) -> Gpu:
    return load_catalog().with_parts({"gpu": [{**CARD, **changes}]}).find(Gpu, "z900")


def test_a_builds_own_part_is_found_like_any_other() -> None:
    gpu = with_card()
    assert (gpu.memory, gpu.bandwidth, gpu.power) == (100 * 2**30, 9000e9, 900)
    assert (gpu.name, gpu.confidence, gpu.usable, gpu.bf16) == ("z900-pcie-100gb", "user", None, None)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("memory", "80GB", 80 * 2**30),
        ("memory", "64GiB", 64 * 2**30),
        ("usable", "79.2 GiB", 79.2 * 2**30),
        ("bandwidth", "3.35 TB/s", 3.35e12),
        ("bf16", "990 TFLOPS", 990e12),
        ("power", "1.2 kW", 1200),
        ("price", "$1,599", 1599),
    ],
)
def test_quantities_may_carry_their_unit(key: str, text: str, value: float) -> None:
    assert getattr(with_card(**{key: text}), key) == pytest.approx(value)


def test_a_bare_number_has_the_unit_of_its_key() -> None:
    catalog = load_catalog().with_parts(
        {
            "drive": [{"id": "d", "vendor": "v", "interface": "nvme", "form": "U.2", "grade": "consumer",
                       "capacity": 3.84, "read": 14, "write": 7}],
            "memory": [{"id": "m", "form": "rdimm", "memory_type": "ddr5", "capacity": 64, "speed": 6400}],
        }
    )  # fmt: skip
    drive, module = catalog.find(Drive, "d"), catalog.find(MemoryModule, "m")
    assert drive.capacity == pytest.approx(3.84e12)
    assert drive.read == 14e9
    assert module.capacity == 64 * 2**30


def test_the_shipped_catalog_is_left_alone() -> None:
    before = load_catalog().rows(Gpu)
    with_card()
    assert load_catalog().rows(Gpu) == before
    assert load_catalog() is load_catalog()


def test_a_known_id_changes_only_the_keys_it_names() -> None:
    catalog = load_catalog().with_parts({"gpu": [{"id": "rtx-4090-24gb", "price": 1800, "power": 400}]})
    old, new = load_catalog().find(Gpu, "4090"), catalog.find(Gpu, "4090")
    assert (new.price, new.power, new.confidence) == (1800, 400, "user")
    assert (new.memory, new.usable, new.link) == (old.memory, old.usable, old.link)
    assert "power, price" in new.source
    assert old.source in new.source
    assert len(catalog.rows(Gpu)) == len(load_catalog().rows(Gpu))


def test_a_users_part_may_take_the_id_of_a_claimed_one() -> None:
    row = {"id": "amd-epyc-9684", "vendor": "AMD", "cores": 128, "threads": 256, "power": 400, "channels": 12,
           "memory_speed": 4800, "pcie_gen": 5, "lanes": 128}  # fmt: skip
    cpu = load_catalog().with_parts({"cpu": [row]}).find(Cpu, "amd-epyc-9684")
    assert (cpu.claimed, cpu.cores) == (False, 128)


def test_layers_lie_over_one_another() -> None:
    one = load_catalog().with_parts({"gpu": [CARD]})
    two = one.with_parts({"gpu": [{"id": CARD["id"], "power": 800}]})
    assert one.find(Gpu, "z900").power == 900
    assert two.find(Gpu, "z900").power == 800
    assert two.find(Gpu, "z900").bandwidth == 9000e9


def test_no_parts_change_nothing() -> None:
    assert load_catalog().with_parts({}).rows(Gpu) == load_catalog().rows(Gpu)


LONG = "x" * 5000
BAD = [
    ("memory", "eighty", "eighty"),
    ("memory", -80, "-80"),
    ("memory", 0, "0"),
    ("memory", True, "True"),
    ("memory", math.nan, "nan"),
    ("memory", math.inf, "inf"),
    ("memory", 10**400, "a huge number"),
    ("memory", 1e300, "1e+300"),
    ("memory", "1e999 GB", "1e999 GB"),
    ("memory", [80], "a list of 1"),
    ("memory", {"size": 80}, "a table of 1"),
    ("power", "700 lightyears", "700 lightyears"),
    ("form", "brick", "brick"),
    ("form", 7, "7"),
    ("link", "nvlink9", "nvlink9"),
    ("switched", "yes", "yes"),
    ("per_node", 8.5, "8.5"),
    ("per_node", "8", "8"),
    ("boards", 8, "8"),
    ("boards", [8] * 100, "a list of 100"),
    ("boards", ["eight"], "a list of 1"),
    ("usable", 120, "120 GiB"),
    ("switched", True, "True"),
    ("transient", 50, "50"),
    ("name", "a\x1b[31mb", "text that holds the control character U+001B"),
    ("name", "a\u202eb", "text that holds the control character U+202E"),
    ("name", "a\nb", "text that holds the control character U+000A"),
    ("name", LONG, "text of 5000 characters"),
    ("id", "a b", "a b"),
    ("id", "", "text"),
    ("id", "z" * 200, "zzz"),
    ("as_of", "yesterday", "yesterday"),
    ("price_date", "2026-13", "2026-13"),
    ("confidence", "certain", "certain"),
]


@pytest.mark.parametrize(
    ("key", "value", "found"), BAD, ids=[f"{key}-{place}" for place, (key, *_) in enumerate(BAD)]
)
def test_a_bad_value_is_named_with_what_would_do(key: str, value: object, found: str) -> None:
    with pytest.raises(CatalogError) as caught:
        load_catalog().with_parts({"gpu": [{**CARD, key: value}]}, "rig.toml")
    error = caught.value
    assert (error.file, error.key) == ("rig.toml", key)
    assert error.row.startswith("catalog.gpu[0]")
    assert error.expected
    assert found in str(error)
    assert str(error).isprintable()
    assert len(str(error)) < 800


@pytest.mark.parametrize("key", ["vendor", "form", "memory", "bandwidth", "power", "id"])
def test_a_missing_key_is_named(key: str) -> None:
    with pytest.raises(CatalogError) as caught:
        load_catalog().with_parts({"gpu": [{name: value for name, value in CARD.items() if name != key}]})
    assert (caught.value.key, caught.value.found) == (key, "nothing")


def test_an_unknown_key_brings_the_nearest_known_one() -> None:
    with pytest.raises(CatalogError, match="did you mean bandwidth"):
        with_card(bandwith=9000)


def test_an_unknown_kind_brings_the_nearest_known_one() -> None:
    with pytest.raises(CatalogError, match="did you mean gpu"):
        load_catalog().with_parts({"gpus": [CARD]})


def test_an_id_stands_once_in_a_file() -> None:
    with pytest.raises(CatalogError, match="twice"):
        load_catalog().with_parts({"gpu": [CARD, CARD]})


@pytest.mark.parametrize("rows", ["gpu", 5, {"id": "x"}, [5], [None], [["id"]]])
def test_a_table_of_the_wrong_shape_is_named(rows: Any) -> None:
    with pytest.raises(CatalogError, match=r"\[\[catalog.gpu\]\]"):
        load_catalog().with_parts({"gpu": rows})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None)
@given(
    key=st.sampled_from(["memory", "usable", "boards", "link", "switched", "name", "aliases", "id", "price"]),
    value=JSON,
)
def test_any_value_is_taken_or_named(key: str, value: object) -> None:
    try:
        load_catalog().with_parts({"gpu": [{**CARD, key: value}]})
    except CatalogError as error:
        assert str(error).isprintable()


def test_a_users_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        '[sources]\nquote = { text = "quote 1234 of a dealer", as_of = "2026-11-02" }\n'
        '[[gpu]]\nid = "rtx-4090-24gb"\nprice = 1700\nprice_date = "2026-11"\nsource = ["quote"]\n'
        '[[model]]\nid = "me/tiny"\nfamily = "llama"\nlayers = 2\nhidden = 64\nintermediate = 128\n'
        "heads = 4\nkv_heads = 2\nhead_dim = 16\nvocab = 100\ntied = true\ncontext = 128\n"
    )
    (tmp_path / "notes.txt").write_text("not a catalog")
    catalog = load_catalog().with_folder(tmp_path)
    gpu = catalog.find(Gpu, "4090")
    assert (gpu.price, gpu.source, gpu.as_of) == (1700, "quote 1234 of a dealer", "2026-11-02")
    assert catalog.find(Model, "tiny").layers == 2


def test_a_folder_that_is_not_there_is_no_fault(tmp_path: Path) -> None:
    assert load_catalog().with_folder(tmp_path / "none") is load_catalog()


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"[[gpu]\n", ""),
        (b"gpu = 5\n", "5"),
        (b"[[gpus]]\nid = 'x'\n", "did you mean gpu"),
        (b"sources = 5\n", "5"),
        (b"a = " + b"[" * 5000, ""),
        (b"x = 1" + b"0" * 5000, ""),
        (b"#" * ((4 << 20) + 2), "larger"),
        (b"[sources]\nq = { text = 'quote' }\n[[gpu]]\nid = 'rtx-4090-24gb'\nsource = [5]\n", "5"),
    ],
)
def test_a_file_that_is_no_catalog_is_named(tmp_path: Path, content: bytes, found: str) -> None:
    (tmp_path / "bad.toml").write_bytes(content)
    with pytest.raises(CatalogError) as caught:
        load_catalog().with_folder(tmp_path)
    assert "bad.toml" in caught.value.file
    assert found in str(caught.value)
    assert str(caught.value).isprintable()


def test_what_is_not_a_plain_file_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(CatalogError, match="not a plain file"):
        load_catalog().with_folder(tmp_path)


def test_an_empty_file_adds_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.toml").write_text("")
    assert isinstance(load_catalog().with_folder(tmp_path), Catalog)
