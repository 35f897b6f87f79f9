"""What would clear a finding: searched beside the screen, each fix proved by evaluating the changed build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ftbuild.catalog import CatalogError
from ftbuild.problems import BuildError, plain

if TYPE_CHECKING:
    from ftbuild.engine.fixes import Fix
    from ftbuild.tui.desk import Desk


def fix(desk: Desk) -> None:
    """Search for fixes of the chosen finding, or of all; the next edit makes the search void."""
    from ftbuild.engine.fixes import fixes

    desk.finish()
    build, folder = desk.editor.build, desk.editor.folder
    rule = desk.chosen_rule() or None
    desk.say("searching for fixes")

    def search() -> None:
        try:
            found = fixes(build, desk.session.catalog, rule, folder)
        except (BuildError, CatalogError) as error:
            desk.app.call_from_thread(desk.say, plain(error, 300))
        else:
            desk.app.call_from_thread(_show, desk, build, rule, found)

    desk.run_worker(search, thread=True, group="fixes", exclusive=True, exit_on_error=False)


def _show(desk: Desk, build: object, rule: str | None, found: tuple[Fix, ...]) -> None:
    if desk.editor.build is not build or desk.app.screen is not desk:
        return
    if not found:
        desk.say(f"no change was found that clears {rule or 'what is violated'}")
        return
    desk.say("")
    from ftbuild.tui.dialogs.picker import Option, Picker

    options = [Option(str(at), plain(one.title, 200), _facts(one)) for at, one in enumerate(found)]

    def choose(typed: str) -> list[Option]:
        words = typed.casefold().split()
        return [
            one for one in options if all(word in f"{one.title} {one.facts}".casefold() for word in words)
        ]

    def take(chosen: str | None) -> None:
        if chosen is not None and desk.editor.build is build:
            one = found[int(chosen)]
            desk.editor.replace(one.build, f"fix: {plain(one.title, 100)}")
            desk.say(f"done: {plain(one.title, 200)}; ^Z takes it back")

    desk.app.push_screen(Picker(f"Fixes of {rule}" if rule else "Fixes", choose, title_share=0.6), take)


def _facts(one: Fix) -> str:
    """Say what a fix clears, costs and moves."""
    from ftbuild.text.fixes import moved_words

    cost = "nothing to buy" if not one.buys else "price unknown"
    if one.buys and one.price > 0:
        cost = f"${one.price:,.0f} more"
    moved = ", ".join(moved_words(moved) for moved in one.moved[:3])
    return f"{cost}; clears {', '.join(one.clears)}" + (f"; {moved}" if moved else "")
