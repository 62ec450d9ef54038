"""A headless Chromium that opens pages from disk and tells what went wrong on them."""

import importlib.util
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Without a display, as root in a container, and without anything that it does on its own.
OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--no-first-run",
    "--no-default-browser-check", "--mute-audio",
)  # fmt: skip
# What a page that needs no network may load.
LOCAL = ("file:", "data:", "blob:", "about:")


@dataclass
class Opened:
    """A page in a browser.

    Attributes
    ----------
    page : playwright.sync_api.Page
    errors : list of str
        What the console and uncaught exceptions said.
    requests : list of str
        The addresses of all that was loaded.
    """

    page: Any
    errors: list = field(default_factory=list)
    requests: list = field(default_factory=list)

    @property
    def elsewhere(self):
        """The requests that left the disk."""
        return [address for address in self.requests if not address.startswith(LOCAL)]

    @property
    def overflow(self):
        """By how many pixels the page is wider than its window."""
        return self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )


def chromium_path():
    """Return the path of Chromium, or None if there is none."""
    named = [os.environ.get("PYWBMS_CHROMIUM")]
    return next(filter(None, [*named, *map(shutil.which, NAMES)]), None)


def require_browser():
    """Skip the test if there is no browser to drive."""
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("playwright is not installed: pip install 'pywbms[browser]'")
    if chromium_path() is None:
        pytest.skip("there is no Chromium: sh tools/install-chromium.sh")


@contextmanager
def running_browser():
    """Yield a browser, for several pages one after the other; see `open_page`."""
    require_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=[*OPTIONS])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(path, width=1280, height=900, dark=False, browser=None, **options):
    """Yield a page from disk, opened in a browser that is offline.

    Parameters
    ----------
    path : path
        An HTML file.
    width, height : int
        Size of the window in pixels.
    dark : bool
        Whether the reader prefers dark colours.
    browser : playwright.sync_api.Browser, optional
        From `running_browser`; by default one is started for this page.
    **options
        Further options of ``browser.new_context``, such as ``java_script_enabled=False``. Pages are
        asked for reduced motion, so that what is clicked does not move.

    Yields
    ------
    Opened
    """
    if browser is None:
        with (
            running_browser() as started,
            open_page(path, width, height, dark, started, **options) as opened,
        ):
            yield opened
        return
    context = browser.new_context(
        viewport={"width": width, "height": height}, offline=True,
        color_scheme="dark" if dark else "light", **{"reduced_motion": "reduce", **options},
    )  # fmt: skip
    try:
        opened = Opened(context.new_page())
        page = opened.page
        page.set_default_timeout(20_000)
        page.on("console", lambda message: note(opened.errors, message))
        page.on("pageerror", lambda error: opened.errors.append(str(error)))
        page.on("request", lambda request: opened.requests.append(request.url))
        page.goto(Path(path).resolve().as_uri())
        yield opened
    finally:
        context.close()


def note(errors, message):
    """Keep a message of the console if it is a warning or an error."""
    if message.type in ("error", "warning"):
        errors.append(message.text)
