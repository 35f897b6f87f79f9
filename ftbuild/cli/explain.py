"""``ftbuild explain``: where a figure or rule comes from."""

from __future__ import annotations

import click

from ftbuild.cli import session
from ftbuild.cli.output import say
from ftbuild.text import explain_lines
from ftbuild.text.explain import figure_list, rule_list


@click.command("explain")
@click.argument("file", required=False)
@click.argument("name", required=False, metavar="[ID]")
@click.option("--rules", is_flag=True, help="List every rule with its default limit and source.")
@click.option("--figures", is_flag=True, help="List every figure with its formula and source.")
@click.option("--accuracy", is_flag=True, help="Show how the memory model fares against measurements.")
@session.set_option
def command(
    file: str | None,
    name: str | None,
    rules: bool,
    figures: bool,
    accuracy: bool,
    changes: tuple[session.Assignment, ...],
) -> None:
    """Print the formula of a figure or the reason of a rule, with the numbers of the build in FILE.

    ID is a figure (vram.per_gpu) or a rule (ram.ratio). With a FILE alone, or --rules or --figures, lists
    the ids there are.
    """
    if file is None and not (rules or figures or accuracy):
        raise click.UsageError("FILE and ID are needed, or --rules, --figures or --accuracy.")
    if accuracy:
        from ftbuild.accuracy import lines

        say(lines())
    if rules:
        say(rule_list())
    if file is None:
        if figures:
            say(figure_list(session.any_report()))
        return
    checked = session.check(file, changes)
    session.warn_unknown(checked.loaded, file, checked.unpriced)
    if name is not None:
        say(explain_lines(checked.report, name))
    elif not rules:
        say(figure_list(checked.report))
