import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftbuild.catalog import UnknownPart, load_catalog
from ftbuild.catalog.parts import KINDS, CloudPrice, Cpu, Drive, Fabric, Gpu, Model, Part, Psu, System

CATALOG = load_catalog()

FOUND = [
    (Gpu, "H100", "h100-sxm-80gb"),
    (Gpu, "h100 sxm", "h100-sxm-80gb"),
    (Gpu, "H100_SXM", "h100-sxm-80gb"),
    (Gpu, "h100sxm", "h100-sxm-80gb"),
    (Gpu, "H100 PCIe", "h100-pcie-80gb"),
    (Gpu, "NVIDIA H100 80GB HBM3", "h100-sxm-80gb"),
    (Gpu, "nvidia h100", "h100-sxm-80gb"),
    (Gpu, "rtx4090", "rtx-4090-24gb"),
    (Gpu, "  RTX  4090 ", "rtx-4090-24gb"),
    (Gpu, "4090", "rtx-4090-24gb"),
    (Gpu, "NVIDIA GeForce RTX 4090", "rtx-4090-24gb"),
    (Gpu, "3090", "rtx-3090-24gb"),
    (Gpu, "3090ti", "rtx-3090-ti-24gb"),
    (Gpu, "RTX 4080", "rtx-4080-16gb"),
    (Gpu, "a100", "a100-sxm-80gb"),
    (Gpu, "A100 40GB", "a100-sxm-40gb"),
    (Gpu, "NVIDIA A100-SXM4-80GB", "a100-sxm-80gb"),
    (Gpu, "NVIDIA A100 80GB PCIe", "a100-pcie-80gb"),
    (Gpu, "mi300x", "mi300x-oam-192gb"),
    (Gpu, "b200-sxm-180gb", "b200-sxm-192gb"),
    (Cpu, "9654", "amd-epyc-9654"),
    (Cpu, "AMD EPYC 9654 96-Core Processor", "amd-epyc-9654"),
    (Cpu, "9950x", "amd-ryzen-9-9950x"),
    (Cpu, "Intel(R) Xeon(R) Platinum 8480+", "intel-xeon-platinum-8480plus"),
    (Cpu, "13th Gen Intel(R) Core(TM) i9-13900K", "intel-core-i9-13900k"),
    (Model, "Llama-3.1-8B", "meta-llama/Llama-3.1-8B"),
    (Model, "llama 3.1 8b", "meta-llama/Llama-3.1-8B"),
    (Model, "meta-llama/Meta-Llama-3.1-70B", "meta-llama/Llama-3.1-70B"),
    (Model, "meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B"),
    (Model, "unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "meta-llama/Llama-3.1-8B"),
    (Model, "Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B"),
    (Model, "mistral 7b", "mistralai/Mistral-7B-v0.1"),
    (Model, "llama-2-7b", "meta-llama/Llama-2-7b-hf"),
    (Model, "Qwen3-30B", "Qwen/Qwen3-30B-A3B"),
    (Model, "gemma-3-4b-pt", "google/gemma-3-4b-it"),
    (Drive, "990 pro 2tb", "samsung-990-pro-2tb"),
    (Fabric, "NDR", "ib-ndr-400g"),
    (Psu, "1600W Platinum", "atx-1600-platinum"),
    (CloudPrice, "lambda/h100", "lambda/h100"),
    (System, "DGX H100", "dgx-h100"),
]


@pytest.mark.parametrize(("kind", "text", "id_"), FOUND)
def test_finds_a_part_by_what_people_call_it(kind: type[Part], text: str, id_: str) -> None:
    assert CATALOG.find(kind, text).id == id_


@pytest.mark.parametrize(
    ("kind", "text"),
    [(Gpu, "h300"), (Gpu, "rtx 4095"), (Cpu, "epyc 9645"), (Model, "llama-3.1-80b"), (Drive, "990 prp 2tb")],
)
def test_a_miss_suggests_what_was_meant(kind: type[Part], text: str) -> None:
    with pytest.raises(UnknownPart) as caught:
        CATALOG.find(kind, text)
    error = caught.value
    assert (error.kind, error.found, error.several) == (kind.kind, text, False)
    assert 1 <= len(error.suggestions) <= 3
    assert all(CATALOG.get(kind, suggestion) for suggestion in error.suggestions)
    assert "did you mean" in str(error)


@pytest.mark.parametrize(
    ("text", "close"),
    [("h300", "h100-sxm-80gb"), ("rtx 4095", "rtx-4090-24gb"), ("mi300y", "mi300x-oam-192gb")],
)
def test_a_miss_suggests_the_nearest(text: str, close: str) -> None:
    with pytest.raises(UnknownPart) as caught:
        CATALOG.find(Gpu, text)
    assert close in caught.value.suggestions


@pytest.mark.parametrize(
    ("kind", "text", "some"),
    [
        (Gpu, "rtx pro", {"rtx-pro-5000-blackwell-48gb"}),
        (Model, "gpt-oss", {"openai/gpt-oss-20b", "openai/gpt-oss-120b"}),
        (Drive, "990 pro", {"samsung-990-pro-1tb", "samsung-990-pro-4tb"}),
        (Fabric, "200g", {"roce-200g", "ib-hdr-200g"}),
    ],
)
def test_text_that_fits_several_parts_names_them_instead_of_picking_one(
    kind: type[Part], text: str, some: set[str]
) -> None:
    with pytest.raises(UnknownPart) as caught:
        CATALOG.find(kind, text)
    assert caught.value.several
    assert some <= set(caught.value.suggestions)


@pytest.mark.parametrize("text", ["Qwen3-3B", "llama-3.1-7", "409", "Qwen2.5-VL-7B", "h100 900gb"])
def test_never_stretches_a_number_or_drops_a_word_that_matters(text: str) -> None:
    for kind in (Gpu, Model):
        with pytest.raises(UnknownPart):
            CATALOG.find(kind, text)


@pytest.mark.parametrize("text", ["", "   ", "x" * 10_000, "\x1b[31m", "[/b]", "///"])
def test_text_that_names_nothing_is_a_plain_miss(text: str) -> None:
    for kind in KINDS:
        with pytest.raises(UnknownPart) as caught:
            CATALOG.find(kind, text)
        assert str(caught.value).isprintable()


@settings(deadline=None)
@given(text=st.text(max_size=30))
def test_any_text_finds_a_part_or_says_why_not(text: str) -> None:
    try:
        assert CATALOG.find(Gpu, text) in (*CATALOG.rows(Gpu), *CATALOG.claimed(Gpu))
    except UnknownPart as error:
        assert str(error).isprintable()


@settings(deadline=None)
@given(part=st.sampled_from(CATALOG.rows(Model)), data=st.data())
def test_case_and_separators_do_not_matter(part: Model, data: st.DataObject) -> None:
    swapped = "".join(data.draw(st.sampled_from((c.upper(), c.lower()))) for c in part.id)
    assert CATALOG.find(Model, swapped.replace("-", data.draw(st.sampled_from((" ", "_", "-"))))) is part


def test_search_without_text_lists_everything_in_the_files_order() -> None:
    assert CATALOG.search(Gpu, "") == list(CATALOG.rows(Gpu))


@pytest.mark.parametrize(
    ("text", "first"), [("h1", "h100-sxm-80gb"), ("4090", "rtx-4090-24gb"), ("mi3", "mi300x-oam-192gb")]
)
def test_search_narrows_as_one_types(text: str, first: str) -> None:
    assert CATALOG.search(Gpu, text)[0].id == first


def test_search_takes_words_in_any_order() -> None:
    assert [gpu.id for gpu in CATALOG.search(Gpu, "pcie 80 a100")] == ["a100-pcie-80gb"]


def test_search_finds_nothing_for_nonsense() -> None:
    assert CATALOG.search(Gpu, "zzz") == []
