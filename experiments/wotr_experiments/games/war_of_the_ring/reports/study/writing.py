"""The pages of a study: one in HTML, one in Markdown with its plots as files, from the same parts."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_text
from wotr_experiments.games.war_of_the_ring.reports.study.blocks import Block, Part, Plot, Table
from wotr_experiments.games.war_of_the_ring.reports.study.parts import lead, parts_of
from wotr_experiments.reports import pages
from wotr_experiments.reports.pages import markdown_table, template
from wotr_experiments.reports.tournament import provenance_section

REPORT = "report.html"
PAGE = "study.md"
_MARGIN = 8
"""Margin around a plot in a separate file, in pixels."""
_INTERVAL = re.compile(r"\([-+\d.]+%? to [-+\d.]+%?\)|± [\d.,]+")
"""An interval in a cell."""
_STYLE = re.compile(r"^(:root|@media|svg|  :root|}).*$", re.MULTILINE)


def write_study(
    study: Mapping[str, Any], out: Path, page: Path | None = None, sessions: Sequence[Mapping[str, Any]] = ()
) -> list[Path]:
    """Writes ``report.html``, and ``study.md`` with its plots, into the folder of a study.

    Args:
        study: the figures, in the form of ``figures.json``.
        out: the folder.
        page: the path for a copy of the page in Markdown; its plots are written to a folder with its name
            next to it.
        sessions: the provenance entries of the games.

    Returns:
        The paths of the pages.

    Raises:
        CommandError: ``page`` is not the name of a Markdown file.
        OSError: a file cannot be written.
    """
    parts = parts_of(study)
    write_text(out / REPORT, _html(study, parts, sessions))
    pages_in_markdown = [out / PAGE, *([] if page is None else [page])]
    for path in pages_in_markdown:
        _write_markdown(study, parts, path)
    return [out / REPORT, *pages_in_markdown]


def check_page(page: Path | None) -> None:
    """Raises CommandError if a page in Markdown cannot be written there."""
    if page is not None and (page.suffix != ".md" or not page.absolute().parent.is_dir()):
        raise CommandError(f"--page names a file such as docs/study.md in a folder that is there, not {page}")


# --- HTML. ---


def _html(study: Mapping[str, Any], parts: Sequence[Part], sessions: Sequence[Mapping[str, Any]]) -> str:
    links = " ".join(f'<a href="#{part.name}">{html.escape(part.title)}</a>' for part in parts)
    title, sentences = lead(study)
    content = "".join(f"<p>{_inline(sentence)}</p>" for sentence in sentences)
    content += f'<nav class="parts">{links}</nav>'
    for part in parts:
        shown = "".join(_html_block(block) for block in part.blocks)
        content += pages.section(part.title, shown).replace("<section>", f'<section id="{part.name}">', 1)
    content = f'<main class="study">{content}</main>{provenance_section(sessions)}'
    return pages.page(title, content, WAR_OF_THE_RING.title)


def _html_block(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{_inline(block)}</p>"
    if isinstance(block, Table):
        return _html_table(block)
    inside = "".join(_figure(each) if isinstance(each, Plot) else _html_table(each) for each in block)
    return f'<div class="charts">{inside}</div>'


def _html_table(table: Table) -> str:
    rows = [
        [_INTERVAL.sub(r'<span class="interval">\g<0></span>', _inline(cell)) for cell in row]
        for row in table.rows
    ]
    return pages.table(table.head, rows, words=table.words)


def _figure(plot: Plot) -> str:
    look = ' class="broad"' if plot.broad else ""
    return f"<figure{look}><figcaption>{html.escape(plot.title)}</figcaption>{plot.svg}</figure>"


def _inline(text: str) -> str:
    """Converts the simple Markdown of sentences and cells (code and emphasis) to HTML."""
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)


# --- Markdown. ---


def _write_markdown(study: Mapping[str, Any], parts: Sequence[Part], path: Path) -> None:
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    title, sentences = lead(study)
    written = [f"# {title}", *sentences]
    for part in parts:
        written.append(f"## {part.title}")
        for block in part.blocks:
            if isinstance(block, str):
                written.append(block)
            else:
                together = [block] if isinstance(block, Table) else block
                written += [_markdown(each, folder) for each in together]
    write_text(path, "\n\n".join(filter(None, written)) + "\n")


def _markdown(shown: Table | Plot, folder: Path) -> str:
    """The Markdown that shows a table or a plot; writes the plot to a file in the folder."""
    if isinstance(shown, Table):
        rows = [[cell.replace("|", "\\|") for cell in row] for row in shown.rows]
        return markdown_table(shown.head, rows)
    return _picture(shown, folder)


def _picture(plot: Plot, folder: Path) -> str:
    path = folder / f"{plot.name}.svg"
    write_text(path, alone(plot.svg))
    return f"![{plot.title}]({folder.name}/{path.name})"


def alone(svg: str) -> str:
    """A chart as a file, with the style and the background of the pages; for a chart that is drawn twice, the
    wide form."""
    svg = svg[svg.index("<svg") : svg.index("</svg>") + len("</svg>")]
    width, height = (int(number) for number in re.findall(r'viewBox="0 0 (\d+) (\d+)"', svg)[0])
    style = "\n".join(found.group(0) for found in _STYLE.finditer(template("report.css")))
    size = f'width="{width + 2 * _MARGIN}" height="{height + 2 * _MARGIN}"'
    framed = svg.replace(
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"',
        f'viewBox="-{_MARGIN} -{_MARGIN} {width + 2 * _MARGIN} {height + 2 * _MARGIN}" {size}',
    )
    paper = f'<rect style="fill: var(--paper)" x="-{_MARGIN}" y="-{_MARGIN}" {size}/>'
    return framed.replace(">", f"><style>\n{style}\n</style>{paper}", 1) + "\n"
