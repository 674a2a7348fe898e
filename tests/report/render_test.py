"""Opens every example report in headless Chromium, in light and dark, wide, narrow and printed.

usage: render_test.py PROGRAM    PROGRAM writes the examples into a folder
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from browser import Browser  # noqa: E402

WIDE, NARROW = 900, 390

# The least contrast of any text with what is behind it. Text of pictures is filled, not coloured.
CONTRAST = """(() => {
  const rgba = text => text.match(/[0-9.]+/g).map(Number);
  const linear = v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = c => { const l = c.slice(0, 3).map(v => linear(v / 255));
                       return .2126 * l[0] + .7152 * l[1] + .0722 * l[2]; };
  const behind = e => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor);
                        if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  let least = 21;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; node = walker.nextNode();) {
    const e = node.parentElement;
    if (!node.data.trim() || e.tagName == 'title' || !e.getClientRects().length) continue;
    const style = getComputedStyle(e), ink = rgba(e instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(ink), light(behind(e))].sort((x, y) => y - x);
    least = Math.min(least, (a + .05) / (b + .05));
  }
  return least;
})()"""

# Parts of the page without height, pictures without a name, coordinates that are no numbers.
FAULTS = """(() => {
  const faults = [];
  for (const e of document.querySelectorAll('h1, h2, section, figure, footer'))
    if (e.getBoundingClientRect().height < 8) faults.push('empty ' + e.outerHTML.slice(0, 80));
  for (const e of document.querySelectorAll('svg[role=img]'))
    if (!e.getAttribute('aria-label') && !(e.querySelector(':scope > title') || {}).textContent)
      faults.push('no name: ' + e.outerHTML.slice(0, 80));
  for (const e of document.querySelectorAll('svg *'))
    for (const a of e.attributes)
      if (a.name != 'class' && /nan|inf/i.test(a.value)) faults.push(a.name + '=' + a.value);
  for (const e of document.querySelectorAll('.effects .dot')) {
    const dot = e.getBoundingClientRect(), lane = e.closest('svg').getBoundingClientRect();
    if (dot.left < lane.left - 8 || dot.right > lane.right + 8) faults.push('a dot is outside its picture');
  }
  for (const e of document.querySelectorAll('.fits figcaption ~ svg :is(rect, circle, line)')) {
    const mark = e.getBoundingClientRect(), all = e.closest('svg').getBoundingClientRect();
    if (mark.left < all.left - 1 || mark.right > all.right + 1 ||
        mark.top < all.top - 1 || mark.bottom > all.bottom + 1)
      faults.push('outside its picture: ' + e.outerHTML.slice(0, 80));
  }
  return faults;
})()"""

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def check_quiet(browser, page):
    uri = page.resolve().as_uri()
    check(browser.complaints() == [], f"{page.name}: console: {browser.complaints()}")
    check(set(browser.requests()) == {uri}, f"{page.name}: requests: {browser.requests()}")


def check_colours(browser, page, dark):
    browser.look(WIDE, dark=dark)
    least = browser.evaluate(CONTRAST)
    check(least >= 4.5, f"{page.name}, {'dark' if dark else 'light'}: contrast {least}")
    return browser.evaluate("getComputedStyle(document.body).backgroundColor")


def check_layout(browser, page, width):
    browser.look(width)
    faults = browser.evaluate(FAULTS)
    check(faults == [], f"{page.name}, {width} pixels: {faults}")
    beyond = browser.evaluate("document.documentElement.scrollWidth - innerWidth")
    check(beyond <= 0, f"{page.name}: {beyond} pixels wider than a window of {width}")


def check_page(browser, page):
    browser.look(WIDE)
    browser.open(page)
    check_quiet(browser, page)
    check(browser.evaluate("document.scripts.length") == 0, f"{page.name}: has a script")
    check(browser.evaluate("typeof owned") == "undefined", f"{page.name}: a name was run as code")
    check(browser.evaluate("document.images.length") == 0, f"{page.name}: a name became an image")
    check(browser.evaluate("document.querySelectorAll('section').length") >= 5, f"{page.name}: sections are missing")
    # Folded tables are part of the page.
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    light = check_colours(browser, page, dark=False)
    dark = check_colours(browser, page, dark=True)
    check(light != dark, f"{page.name}: dark is {dark} as light is")
    check_layout(browser, page, WIDE)
    check_layout(browser, page, NARROW)
    check_quiet(browser, page)


def check_paper(browser, page):
    browser.open(page)
    browser.look(WIDE, dark=True, media="print")
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    check(paper == "rgb(255, 255, 255)", f"{page.name}: printed on {paper}")
    check(browser.pdf().startswith(b"%PDF"), f"{page.name}: no PDF")
    browser.look(WIDE, dark=False)
    check(browser.picture(whole=False).startswith(b"\x89PNG"), f"{page.name}: no picture")


def check_that_checks_work(browser, folder):
    """A page with every fault: what finds none of them proves nothing of the others."""
    page = folder / "bad.html"
    page.write_text("<body style='background:#fff'><h1></h1><p style='color:#ddd;width:2000px'>pale</p>"
                    "<svg role=img></svg><img src='http://127.0.0.1:9/x.png'><script>console.error('said')</script>")
    browser.look(WIDE)
    browser.open(page)
    check(any("said" in text for text in browser.complaints()), "the console is not heard")
    check(any("127.0.0.1:9" in url for url in browser.requests()), "requests are not seen")
    check(len(browser.evaluate(FAULTS)) == 2, "faults are not seen")
    check(browser.evaluate(CONTRAST) < 2, "contrast is not measured")
    check(browser.evaluate("document.documentElement.scrollWidth - innerWidth") > 0, "width is not measured")


def main():
    with tempfile.TemporaryDirectory() as name, Browser() as browser:
        folder = pathlib.Path(name)
        check_that_checks_work(browser, folder)
        (folder / "bad.html").unlink()
        subprocess.run([sys.argv[1], name], check=True)
        pages = sorted(folder.glob("*.html"))
        check(len(pages) == 8, f"{len(pages)} examples")
        for page in pages:
            check_page(browser, page)
        for example in ("house_prices", "claims", "loans", "by_theorem"):
            check_paper(browser, folder / f"{example}.html")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
