from __future__ import annotations

from ftbuild.tui.recent import Recent


def test_two_runs_at_once_keep_each_others_files_and_choices(tmp_path):
    one, other = Recent(tmp_path / "recent.json"), Recent(tmp_path / "recent.json")
    for name in ("a.toml", "b.toml"):
        (tmp_path / name).write_text("")
    one.opened(tmp_path / "a.toml")
    other.opened(tmp_path / "b.toml")
    one.chosen("gpu", "g")
    again = Recent(tmp_path / "recent.json")
    assert [path.name for path in again.files()] == ["b.toml", "a.toml"]
    assert again.choices("gpu") == ["g"]
