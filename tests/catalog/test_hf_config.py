import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftbuild.catalog import CatalogError, load_catalog
from ftbuild.catalog.families import FAMILIES
from ftbuild.catalog.hf_config import model_from_config, model_from_file
from ftbuild.catalog.parts import Model
from ftbuild.engine.shape import shape

SMALL = json.loads((Path(__file__).parent / "data" / "small_configs.json").read_text())["rows"]
LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 131072, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
}  # fmt: skip
UNCOUNTED = {"kimi_k2", "qwen2_5_vl_text", "qwen3_vl_text"}
"""Types that transformers has no module of its own for; each is read as another type is."""


@pytest.mark.parametrize("row", SMALL, ids=lambda row: row["name"])
def test_counts_what_transformers_builds_from_the_same_configuration(row: dict[str, Any]) -> None:
    assert shape(model_from_config(row["config"], "x")).total == row["total"]


def test_every_family_is_counted() -> None:
    assert {row["config"]["model_type"] for row in SMALL} == FAMILIES.keys() - UNCOUNTED


LIKES = [("kimi_k2", "deepseek_v3"), ("qwen2_5_vl_text", "qwen2"), ("qwen3_vl_text", "qwen3")]


@pytest.mark.parametrize(("kind", "like"), LIKES)
def test_types_without_a_module_are_read_as_their_likes(kind: str, like: str) -> None:
    config = next(row["config"] for row in SMALL if row["config"]["model_type"] == like)
    assert (
        shape(model_from_config({**config, "model_type": kind}, "x")).total
        == shape(model_from_config(config, "x")).total
    )


def test_a_published_configuration_gives_the_catalogs_row() -> None:
    model, row = model_from_config(LLAMA, "me/mine"), load_catalog().find(Model, "llama-3.1-8b")
    keys = ("layers", "hidden", "intermediate", "heads", "kv_heads", "head_dim", "vocab", "tied", "context")
    assert [getattr(model, key) for key in keys] == [getattr(row, key) for key in keys]
    assert (model.id, model.name, model.confidence) == ("me/mine", "mine", "user")


def test_a_wrapped_language_model_is_read_and_the_rest_is_noted() -> None:
    model = model_from_config(
        {"model_type": "mistral3", "text_config": {**LLAMA, "model_type": "mistral"}}, "x"
    )
    assert (model.family, model.hidden) == ("mistral", 4096)
    assert "not counted" in model.notes


def test_sliding_layers_are_counted_as_listed() -> None:
    kinds = ["sliding_attention", "full_attention", "full_attention", "full_attention"]
    config = {**LLAMA, "model_type": "gemma2", "sliding_window": 512, "layer_types": kinds}
    model = model_from_config(config, "x")
    assert (model.window, model.window_share) == (512, 0.25)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"model_type": "lama"}, "model_type"),
        ({"model_type": None}, "model_type"),
        ({"model_type": ["llama"]}, "model_type"),
        ({"hidden_size": None}, "hidden_size"),
        ({"hidden_size": "big"}, "hidden_size"),
        ({"hidden_size": -1}, "hidden_size"),
        ({"num_hidden_layers": 0}, "num_hidden_layers"),
        ({"num_hidden_layers": 10**30}, "num_hidden_layers"),
        ({"num_attention_heads": 0}, "num_attention_heads"),
        ({"num_key_value_heads": 7}, "num_key_value_heads"),
        ({"vocab_size": 1.5}, "vocab_size"),
        ({"model_type": "opt", "word_embed_proj_dim": 512}, "word_embed_proj_dim"),
        ({"model_type": "phi", "qk_layernorm": True}, "qk_layernorm"),
        ({"model_type": "mistral", "sliding_window": "wide"}, "sliding_window"),
    ],
)
def test_a_bad_configuration_is_named(changes: dict[str, Any], key: str) -> None:
    with pytest.raises(CatalogError) as caught:
        model_from_config({**LLAMA, **changes}, "x")
    assert caught.value.key == key
    assert str(caught.value).isprintable()


def test_an_error_speaks_in_the_keys_of_the_file() -> None:
    with pytest.raises(
        CatalogError, match="num_key_value_heads: found 7; expected a divisor of `num_attention"
    ):
        model_from_config({**LLAMA, "num_key_value_heads": 7}, "x")
    other = {"model_type": "gpt2", "n_layer": 0, "n_embd": 64, "n_head": 2, "vocab_size": 9}
    with pytest.raises(CatalogError) as caught:
        model_from_config(other, "x")
    assert caught.value.key == "n_layer"


def test_an_integer_of_too_many_digits_brings_no_advice_on_python(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"hidden_size": ' + "9" * 5000 + "}")
    with pytest.raises(CatalogError, match="too many digits") as caught:
        model_from_file(path)
    assert "sys." not in str(caught.value)


def test_an_unknown_type_brings_the_nearest_known_one() -> None:
    with pytest.raises(CatalogError, match="did you mean llama"):
        model_from_config({**LLAMA, "model_type": "lama"}, "x")


VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=3)
)


@settings(deadline=None)
@given(
    kind=st.sampled_from(sorted(FAMILIES)),
    key=st.sampled_from(sorted({key for row in SMALL for key in row["config"]})),
    value=VALUES,
)
def test_any_configuration_is_read_or_named(kind: str, key: str, value: object) -> None:
    config = next((row["config"] for row in SMALL if row["config"]["model_type"] == kind), LLAMA)
    try:
        model_from_config({**config, key: value}, "x")
    except CatalogError as error:
        assert str(error).isprintable()


def test_a_file_is_named_after_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "my model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(LLAMA))
    assert model_from_file(folder / "config.json").id == "my-model"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xff", b"[]", b"5", b"[" * 100_000, b" " * ((4 << 20) + 2)]
)
def test_a_file_that_is_no_configuration_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(CatalogError) as caught:
        model_from_file(tmp_path / "config.json")
    assert "config.json" in caught.value.file


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="no file"):
        model_from_file(tmp_path / "config.json")
