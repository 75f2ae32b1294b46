"""What tests of the console in Chromium have, beside `unittest.TestCase`: a shop, people who sign in, and what every page promises."""

import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Documents"))

from browser import Unavailable, accessibility, pages  # noqa: E402
from console_shop import ConsoleShop  # noqa: E402

# Notes every shift of the layout that no person caused: how much, when, and what moved from where to where.
WATCH_SHIFTS = """
window.shifts = [];
const place = (rect) => [rect.x, rect.y, rect.width, rect.height].map(Math.round).join(" ");
const named = (node) => (node?.outerHTML ?? node?.nodeValue ?? "what is gone").slice(0, 160);
const moved = (source) => `${named(source.node)}: ${place(source.previousRect)} -> ${place(source.currentRect)}`;
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
        if (entry.hadRecentInput) { continue; }
        window.shifts.push({ value: entry.value, at: entry.startTime, moved: entry.sources.map(moved) });
    }
}).observe({ type: "layout-shift", buffered: true });
"""

# Texts that stick out of a box with a border and of all that scrolls in it.
SPILLED = """
() => [...document.querySelectorAll("main *")].filter((text) => {
    const { right, width } = text.getBoundingClientRect();
    if (text.childElementCount > 0 || text.textContent.trim() === "" || width === 0) { return false; }
    for (let box = text.parentElement; box && box.tagName !== "MAIN"; box = box.parentElement) {
        const style = getComputedStyle(box);
        if (style.overflowX !== "visible") { return false; }
        if (style.borderRightWidth !== "0px" && right > box.getBoundingClientRect().right + 0.5) { return true; }
    }
    return false;
}).map((text) => text.outerHTML.slice(0, 160))
"""


class ConsoleBrowser:
    @classmethod
    def setUpClass(cls):
        try:
            cls.page = staticmethod(cls.enterClassContext(pages()))
        except Unavailable as lack:
            if os.environ.get("CI") == "true":
                raise
            raise unittest.SkipTest(str(lack)) from lack
        cls.shop = cls.enterClassContext(ConsoleShop())

    def signed_in(self, key=None, width=1440, theme="light", locale="en-GB", scripts=True):
        """A page of somebody who has just signed in; what it complains about and asks for is noted."""
        page = self.page(
            viewport={"width": width, "height": 900}, color_scheme=theme, locale=locale, java_script_enabled=scripts
        )
        if scripts:
            page.add_init_script(WATCH_SHIFTS)
        page.goto(self.shop.url + "/console/payments")
        page.locator("input[name=key]").fill(key or self.shop.key)
        page.locator("main .button-main").click()
        page.wait_for_url(re.compile("/console/payments"))
        self.said, self.asked = said, asked = [], []
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        return page

    def hold(self, page):
        """Holds a page to what every page promises, with what a flow has opened on it."""
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertLessEqual(wide, 0, "the page does not scroll sideways")
        self.assertEqual(page.evaluate(SPILLED), [], "texts stay in their boxes")
        self.assertEqual(accessibility(page), [], "axe finds nothing")
        self.assertEqual(self.said, [], "nothing is complained about")
        self.assertEqual([url for url in self.asked if not url.startswith(self.shop.url)], [], "nothing is asked of others")

    @staticmethod
    def press(place, name):
        """Unfolds an action and presses its button."""
        place.locator(".action > summary", has_text=re.compile(f"^{name}$")).first.click()
        place.get_by_role("button", name=name, exact=True).first.click()

    @staticmethod
    def cookies(page):
        return "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in page.context.cookies())
