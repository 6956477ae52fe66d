#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# page.py DIRECTORY: check the pages of the directory in a browser; page.sh makes these
# pages. page.py DIRECTORY NAME..: check that all data of NAME.json are in NAME.html, on
# any screen.
import json
import math
import os
import sys

from browser import Browser

SECTIONS = ["summary", "rates", "decisions", "network", "stations", "latency", "setup"]
failures = 0


def check(fine, what, *values):
    global failures
    if not fine:
        failures += 1
        print("FAIL:", what, *values)


def data_of(name):
    with open(name + ".json", encoding="utf-8") as file:
        return json.load(file)


def look(browser, name, **how):
    """The page loads at once, without errors and without network requests."""
    browser.open(name + ".html", **how)
    check(browser.complaints == [], name, "complains:", browser.complaints)
    check([one for one in browser.requests if not one.startswith(("file:", "data:"))] == [] and
          len([one for one in browser.requests if one.startswith("file:")]) == 1,
          name, "asks for", browser.requests)


def count(browser, selector):
    return browser.run("document.querySelectorAll(%s).length" % json.dumps(selector))


def content(browser, names=("demo", "clos64", "faults")):
    for name in names:
        data = data_of(name)
        look(browser, name)
        wanted = SECTIONS[:-1] + (
            ["matrix"] if len(data["matrix"] or []) > 4 else []) + SECTIONS[-1:]
        found = browser.run("[...document.querySelectorAll('main > section')].map((s) => s.id)")
        check(found == wanted, name, "has the sections", found)
        check(browser.run("document.title") == data["title"], name, "has another title")
        check(count(browser, "#summary .findings li") == len(data["findings"]), name,
              "findings")
        check((count(browser, ".banner") == 1) == (not data["complete"]), name, "banner")
        check(count(browser, "#network .link") == len(data["topology"]["links"]), name, "links")
        check(count(browser, "#network .node-box") == len(data["topology"]["nodes"]), name,
              "nodes")
        check(count(browser, "#network .switch-box") == len(data["topology"]["switches"]), name,
              "switches")
        check(count(browser, "#network .card-part") == 4 * len(data["topology"]["nodes"]), name,
              "NICs")
        lines(browser, name, data)
        tables(browser, name, data)
        reservations = [flow for flow in data["flows"]
                        if any(rate > 0 for _, rate in flow["reserved"] or [])]
        check(count(browser, ".lines .reservation") == len(reservations), name, "reservations")


def lines(browser, name, data):
    """There is a line for each flow after all flows are switched on."""
    browser.run("[...document.querySelectorAll('#rates .legend-more button')]"
                ".filter((b) => b.dataset.key === 'all').forEach((b) => b.click())")
    check(count(browser, "#rates .switch") == len(data["flows"]), name, "switches of flows")
    for _ in range(len(data["flows"])):
        browser.run("document.querySelector('#rates .switch[aria-pressed=false]')?.click()")
    check(count(browser, "#rates .lines .line") == len(data["flows"]), name, "lines",
          count(browser, "#rates .lines .line"))
    if data["others"]:
        words = "{:,}\u00a0other flow".format(data["others"]["flows"])
        check(words in browser.run("document.querySelector('#rates .others').textContent"), name,
              "other flows")


def tables(browser, name, data):
    """Each figure has a table of its numbers below it."""
    browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    browser.settle()
    check(count(browser, "#rates details tbody tr") ==
          len(data["flows"]) + (1 if data["others"] else 0), name, "table of flows")
    arrived = [flow for flow in data["flows"] if flow["times"] and flow["times"]["packets"] > 0]
    check(count(browser, "#stations details tbody tr") == len(arrived), name,
          "table of stations")
    check(count(browser, "#network details:first-of-type tbody tr") > 0, name, "table of links")
    browser.run("[...document.querySelectorAll('#decisions button')].filter((b) => "
                "/^All/.test(b.textContent)).forEach((b) => b.click())")
    events = len(data["decisions"]) + len(data["faults"]) + len(data["stalls"])
    check(count(browser, "#decisions tbody tr") == events, name, "decisions")


def numbers(browser):
    """Means, units and the parts of a packet's time equal values computed by hand."""
    look(browser, "demo")
    words = browser.run("document.querySelector('#stations .row-words').textContent")
    # The parts of the time are 2 + 45 + 12 + 15 + 8 + 1 + 160 = 243 us, of which the
    # packet is blocked for 160 us.
    check(words == "243\u00a0µs, most of it: blocked 65.8\u00a0%", "stations:", words)
    width = browser.run("[...document.querySelectorAll('#stations .row:first-child .part')]"
                        ".pop().getBoundingClientRect().width / "
                        "document.querySelector('#stations .bar').getBoundingClientRect().width")
    check(abs(width - 160 / 243) < 0.01, "the part blocked is", width)
    row = browser.run("document.querySelectorAll('#summary dd')[4].textContent")
    check(row == "100\u00a0ms", "run time:", row)
    browser.run("document.querySelector('#rates details').open = true")
    browser.settle()
    cells = browser.run("[...document.querySelector('#rates details tbody tr').children]"
                        ".map((cell) => cell.textContent)")
    check(cells[2:4] == ["4.00\u00a0MB", "40.0\u00a0MB/s"] and
          cells[5] == "40.0\u00a0MB/s", "flows:", cells)
    cells = browser.run("document.querySelectorAll('#rates details tbody tr')[2].textContent")
    check("15.3\u00a0MB/s" in cells, "flow 3 of the table:", cells)
    axis = browser.run("document.querySelector('#rates .axis').textContent")
    check(axis == "MB/s020406080100", "axis of rates:", axis)
    latency_numbers(browser)
    heat = browser.run("document.querySelector('#network .link[data-link=\"5\"]').classList[1]")
    check(heat == "heat-9", "97 % is drawn as", heat)


def latency_numbers(browser):
    """Marks agree with the axis, and the steps have the same width as in the record."""
    ticks = browser.run("[...document.querySelectorAll('#latency .axis line')].map((l) => "
                        "+l.getAttribute('x1'))")
    words = browser.run("[...document.querySelectorAll('#latency .axis text')].map((l) => "
                        "l.textContent)")
    place = dict(zip(words, ticks))
    decade = place["1\u00a0ms"] - place["100\u00a0µs"]
    marks = browser.run("[...document.querySelectorAll('#latency .row:first-child .percentile')]"
                        ".map((l) => +l.getAttribute('x1'))")
    for mark, us in zip(marks, (77, 154, 385)):
        wanted = place["100\u00a0µs"] + decade * math.log10(us / 100)
        check(abs(mark - wanted) < 1, us, "us is drawn at", mark, "not", wanted)
    check(len(marks) == 3, "marks of latency:", marks)
    steps = browser.run("[...document.querySelectorAll('#latency .row:first-child .step title')]"
                        ".map((t) => t.textContent)")
    # Here, a step of the histogram is 16 us wide, a quarter of 64 us, and one step begins at 77 us.
    check(any(one.startswith("77.0\u00a0µs to 93.0\u00a0µs: ") for one in steps), "steps:", steps)


def press(browser, section, label):
    browser.run("[...document.querySelectorAll('#%s button')].find((b) => "
                "b.textContent === %s).click()" % (section, json.dumps(label)))
    browser.settle()


def toggles(browser):
    look(browser, "demo")
    line = "document.querySelector('#rates .line').getAttribute('d')"
    before = browser.run(line)
    # Each of the 400 buckets of 0.25 ms has few packets, so the smooth line merges 6 buckets
    # (400 / 60) into one step. The line "as recorded" draws 400 buckets on 1022 pixels, so it
    # merges two buckets into one step.
    when = "document.querySelector('#rates .legend-when').textContent"
    words = "Mean while active, arrived (each step of a line is a mean over %s\u00a0ms):"
    check(browser.run(when) == words % "1.50", "smooth steps:", browser.run(when))
    press(browser, "rates", "as recorded")
    check(browser.run(when) == words.replace("%s\u00a0ms", "500\u00a0µs"), "steps:",
          browser.run(when))
    press(browser, "rates", "sent")
    check(browser.run(line) != before, "sent shows what arrived")
    heats = "[...document.querySelectorAll('#network .link')].map((l) => " \
            "l.dataset.link + l.classList[1]).sort().join()"
    before = browser.run(heats)
    press(browser, "network", "blocked")
    check(browser.run(heats) != before, "blocked shows what is busy")
    press(browser, "stations", "100 %")
    ends = browser.run("[...document.querySelectorAll('#stations .bar')].map((bar) => "
                       "bar.lastChild.getBoundingClientRect().right - "
                       "bar.getBoundingClientRect().right)")
    check(len(ends) == 4 and all(abs(end) < 1 for end in ends), "100 % bars end at", ends)
    press(browser, "decisions", "denied (1)")
    check(count(browser, "#decisions tbody tr") == 1, "only what was denied")
    back = "getComputedStyle(document.body).backgroundColor"
    light = browser.run(back)
    browser.run("[...document.querySelectorAll('.top button')].find((b) => "
                "b.textContent === 'Dark').click()")
    dark = browser.run(back)
    check(light == "rgb(255, 255, 255)" and dark != light, "dark is", dark)
    check(browser.run("document.querySelector('.top [aria-pressed=true]').textContent") == "Dark",
          "the switch does not show dark")


def highlights(browser):
    look(browser, "demo")
    browser.run("document.querySelector('.findings a').click()")
    strong = "[...document.querySelectorAll('#network .link.strong')].map((l) => l.dataset.link)"
    check(browser.run(strong) == ["5"], "the finding's link:", browser.run(strong))
    panel = browser.run("document.querySelector('#network .panel').textContent")
    check("11.0\u00a0MB/s" in panel and "1 to 2" in panel, "what was lost:", panel)
    check(browser.run("document.querySelector('.chosen').hidden") is False, "no bar")
    browser.key("Escape")
    check(browser.run(strong) == [], "Escape leaves", browser.run(strong))
    browser.run("document.querySelectorAll('.findings a')[1].click()")
    check(browser.run("document.querySelector('#rates .line.strong').dataset.flow") == "1",
          "the finding's flow")
    browser.run("document.querySelectorAll('.findings a')[2].click()")
    check(count(browser, "#network .node-box.strong") == 1, "the finding's node")
    look(browser, "clos64")
    browser.run("document.querySelectorAll('.findings a')[1].click()")
    check(browser.run("document.querySelector('#rates .switch[data-key=\"40\"]')"
                      ".getAttribute('aria-pressed')") == "true", "a small flow has no switch")
    look(browser, "demo")
    place = browser.run("(() => { document.querySelector('#network').scrollIntoView(); "
                        "const l = document.querySelector('#network .link[data-link=\"5\"]')"
                        ".getBoundingClientRect(); "
                        "return [(l.left + l.right) / 2, l.top + l.height / 2]; })()")
    browser.click(*place)
    check(browser.run(strong) == ["5"], "a click on link 5 chooses", browser.run(strong))


def zoom(browser):
    look(browser, "demo")
    ticks = "[...document.querySelectorAll('#rates .axis')][1].textContent"
    whole = browser.run(ticks)
    box = browser.run("(() => { document.querySelector('#rates').scrollIntoView(); "
                      "const b = document.querySelector('#rates svg.plot')"
                      ".getBoundingClientRect(); return [b.left, b.top, b.width]; })()")
    browser.drag((box[0] + 0.3 * box[2], box[1] + 100), (box[0] + 0.5 * box[2], box[1] + 120))
    check(browser.run(ticks) != whole, "dragging does not zoom")
    browser.run("document.querySelector('#rates svg.plot').focus()")
    browser.key("Home")
    check(browser.run(ticks) == whole, "Home does not show the whole run")
    browser.key("+")
    check(browser.run(ticks) != whole, "+ does not zoom")
    browser.key("-")
    check(browser.run(ticks) == whole, "- does not undo +")
    browser.key("ArrowRight")
    said = browser.run("document.querySelector('#rates .said').textContent")
    check(said.startswith("At 51.0\u00a0ms: ") and "MB/s" in said, "the cursor shows:", said)
    browser.run("document.querySelector('#network svg.plot').focus()")
    browser.key("Home")
    check(browser.run("document.querySelector('#network .link.strong').dataset.link") == "5",
          "Home is not the busiest link")
    panel = "document.querySelector('#network h3').parentNode.textContent"
    browser.key("ArrowDown")
    check("Node 1Rank 0 ran on this node.rank 0: messages84.0\u00a0%rank 0: computing10.0\u00a0%"
          in browser.run(panel), "the first node:", browser.run(panel))
    browser.key("ArrowDown")
    check("Node 2" in browser.run(panel), "the next node:", browser.run(panel))
    browser.key("ArrowUp")
    check("Node 1" in browser.run(panel), "the node before:", browser.run(panel))
    words = browser.run("[...document.querySelectorAll('#stations .row-words')].map((e) => "
                        "e.textContent)")
    check([one.split("; ")[1:] for one in words if ";" in one] ==
          [["the host of rank 0 was busy for 84.0\u00a0% of the run"]], "busy hosts:", words)
    look(browser, "faults")
    browser.run("document.querySelector('#matrix svg.plot').focus()")
    browser.key("ArrowRight")
    browser.key("ArrowRight")
    said = browser.run("document.querySelector('#matrix .said').textContent")
    check(said == "Rank 0 to rank 1: 1.00\u00a0MB", "the matrix shows:", said)


REACHABLE = """[...document.querySelectorAll(
    'a[href], button, summary, select, input, [tabindex="0"]')]
    .filter((e) => e.checkVisibility() && !e.disabled)"""


def keyboard(browser):
    """Tab reaches every control, in the order of the page, and shows its focus."""
    look(browser, "faults")
    browser.run("window.wanted = " + REACHABLE)
    total = browser.run("wanted.length")
    places, unseen = [], []
    for _ in range(total + 3):
        browser.key("Tab")
        place, seen = browser.run(
            "[wanted.indexOf(document.activeElement), "
            "getComputedStyle(document.activeElement).outlineStyle !== 'none']")
        places.append(place)
        if place >= 0 and not seen:
            unseen.append(place)
    check(set(range(total)) <= set(places), "not reached by Tab:", [
        browser.run("wanted[%d].outerHTML.slice(0, 120)" % place)
        for place in range(total) if place not in places])
    check(places[:total] == sorted(places[:total]), "order of Tab:", places)
    check(unseen == [], "focus is not seen:", unseen)


# Lists the colours of the text and of the background for every element that contains text
# directly.
CONTRAST = """(() => {
    const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
    const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const luminance = ([r, g, b]) =>
        0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const behind = (e) => {
        for (; e; e = e.parentElement) {
            const colour = rgb(getComputedStyle(e).backgroundColor);
            if (colour.length === 3 || colour[3] > 0) { return colour; }
        }
        return [255, 255, 255];
    };
    const bad = [];
    let seen = 0;
    for (const e of document.body.querySelectorAll('*')) {
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (!own || ['SCRIPT', 'NOSCRIPT', 'title'].includes(e.tagName) || !e.checkVisibility()) {
            continue;
        }
        const style = getComputedStyle(e);
        const isDrawn = e instanceof SVGElement;
        const front = rgb(isDrawn ? style.fill : style.color);
        const frame = isDrawn && e.closest('g') && e.closest('g').querySelector('rect');
        const back = frame && frame.classList.contains('node-frame') &&
            getComputedStyle(frame).fill !== 'none' ? rgb(getComputedStyle(frame).fill)
                                                    : behind(e);
        const [low, high] = [luminance(front), luminance(back)].sort((a, b) => a - b);
        const ratio = (high + 0.05) / (low + 0.05);
        seen++;
        if (!(ratio >= 4.5)) {
            bad.push(e.tagName + '.' + e.getAttribute('class') + ' ' + ratio.toFixed(2) + ' ' +
                     e.textContent.slice(0, 30));
        }
    }
    return [seen, [...new Set(bad)].slice(0, 10)];
})()"""


def contrast(browser, names=("demo", "clos64", "faults")):
    for name in names:
        for scheme in ("light", "dark"):
            look(browser, name, scheme=scheme)
            browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; });"
                        "document.querySelector('.findings a')?.click()")
            browser.settle()
            seen, bad = browser.run(CONTRAST)
            check(seen > 50, name, "has little text:", seen)
            check(bad == [], name, scheme, "contrast:", bad)


def narrow(browser, names=("demo", "clos64", "faults", "hostile", "empty", "pair")):
    for name in names:
        look(browser, name, width=360)
        browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        browser.settle()
        wide = browser.run("document.documentElement.scrollWidth")
        check(wide <= 360, name, "is", wide, "px wide on 360", browser.run(
            "[...document.querySelectorAll('body *')].filter((e) => "
            "e.getBoundingClientRect().right > 361 && !e.closest('.scroll, .table, svg'))"
            ".slice(0, 5).map((e) => e.outerHTML.slice(0, 100))"),
              browser.run("document.querySelector('main').getBoundingClientRect().right"))


def hostile(browser):
    data = data_of("hostile")
    look(browser, "hostile")
    browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    browser.settle()
    for selector in ("body b", "body img", "main script", "iframe", "[onclick]", "[onerror]"):
        check(count(browser, selector) == 0, "hostile names made", selector)
    check(browser.run("document.querySelector('h1').textContent") == data["title"], "title")
    check(browser.run("document.title") == data["title"], "title of the window")
    names = browser.run("[...document.querySelectorAll('#rates .switch .name')]"
                        ".map((e) => e.textContent)")
    for flow in data["flows"]:
        check(any(flow["name"] in one for one in names), "no flow", flow["name"], names)
    check(browser.complaints == [], "hostile names:", browser.complaints)
    # the page's policy must stop an injected script
    browser.run("(() => { const s = document.createElement('script'); "
                "s.textContent = 'window.broken = 1'; document.body.append(s); })()")
    check(browser.run("window.broken") is None, "the policy lets a foreign script run")


def empty(browser):
    look(browser, "empty")
    check(count(browser, "main > section") == len(SECTIONS), "sections of an empty run")
    check(count(browser, ".empty") >= 5, "an empty run does not say what is missing")


def pair(browser):
    look(browser, "pair")
    check(count(browser, "main > section") == len(SECTIONS) + 2, "sections of a pair")
    check(count(browser, "#rates .run svg.plot") == 2, "two runs side by side")
    places = browser.run("[...document.querySelectorAll('#rates .run')].map((e) => "
                         "e.getBoundingClientRect().top)")
    check(len(places) == 2 and places[0] == places[1], "they are not side by side:", places)
    axes = browser.run("[...document.querySelectorAll('#rates .run')].map((e) => "
                       "e.querySelector('.axis').textContent)")
    check(axes[0] == axes[1], "scales differ:", axes)
    # flow 1 -> 2 has 40 MB/s in the second run and 78 MB/s in the first; 0 -> 2 is
    # unchanged
    rows = browser.run("[...document.querySelectorAll('#changes tbody tr')].map((row) => "
                       "[...row.children].map((cell) => cell.textContent))")
    check([row[0].strip("\u2068\u2069") for row in rows[:1]] == ["1 to 2"] and
          rows[0][1:4] == ["78.0\u00a0MB/s", "39.0\u00a0MB/s", "\u221250.0\u00a0%"],
          "the largest change:", rows)
    check(rows[-1][3] == rows[-1][6] == "same", "what did not change:", rows)


    names = browser.run("[...document.querySelectorAll('#rates .run-name')].map((e) => "
                        "e.textContent)")
    check(names == ["A: The demo", "B: half.run, Half of it"], "names of runs:", names)


# Lists the name and the colour of each flow that is drawn as a line.
SHOWN = """[...document.querySelectorAll('#rates .run')].map((run) =>
    [...run.querySelectorAll('.switch[aria-pressed=true]')].map((e) =>
        e.querySelector('.name').textContent +
        e.querySelector('.line').getAttribute('class')).sort())"""


def turned(browser):
    """A flow that is a line in one run is a line in both, in the same colour."""
    look(browser, "turned")
    first, second = browser.run(SHOWN)
    check(first == second and len(first) == 12, "lines side by side:", first, second)
    browser.run("[...document.querySelectorAll('#rates .legend-more button')].filter((b) => "
                "b.dataset.key === 'none').forEach((b) => b.click())")
    check(browser.run(SHOWN) == [[], []], "lines that are off:", browser.run(SHOWN))
    browser.run("[...document.querySelectorAll('#rates .legend-more button')].filter((b) => "
                "b.dataset.key === 'first').forEach((b) => b.click())")
    check(browser.run(SHOWN) == [first, second], "the first lines:", browser.run(SHOWN))


# Lists the links that are not drawn on the right-hand side of their cable.
LEFT = """(() => {
    const data = JSON.parse(document.getElementById('data').textContent).runs[0];
    const key = (one) => JSON.stringify(one, ['node', 'switch', 'port']);
    const at = (end) => end.node !== undefined ? 'n' + end.node : key(end);
    const links = new Map(data.topology.links.map((l) => [at(l.from) + at(l.to), l]));
    const drawn = (l) => document.querySelector(`#network .link[data-link="${l.link}"]`);
    const bad = [];
    let seen = 0;

    for (const link of links.values()) {
        const other = links.get(at(link.to) + at(link.from));
        const line = drawn(link), beside = drawn(other);
        const [a, b] = [line.getPointAtLength(0), line.getPointAtLength(line.getTotalLength())];
        const c = beside.getPointAtLength(beside.getTotalLength());
        const right = (a.x - c.x) * -(b.y - a.y) + (a.y - c.y) * (b.x - a.x);

        seen++;
        if (!(right > 0)) {
            bad.push(link.name);
        }
    }
    return [seen, bad];
})()"""


def sides(browser):
    """Each direction of a cable is drawn on the right-hand side of the cable."""
    for name in ("demo", "faults"):
        look(browser, name)
        seen, bad = browser.run(LEFT)
        check(seen == len(data_of(name)["topology"]["links"]) and bad == [], name, seen,
              "links, on the wrong side:", bad)


def losses(browser):
    """The page shows the loss of a flow at a link as a range, from the least to the most."""
    look(browser, "demo")
    browser.run("document.querySelector('#summary .findings a').click()")
    browser.settle()
    cells = browser.run("[...document.querySelectorAll('#network .table tbody tr')].map((row) => "
                        "row.lastChild.textContent)")
    check(cells[:2] == ["5.00\u00a0MB/s to 11.0\u00a0MB/s", "\u2013"], "losses:", cells)


def kinds(browser):
    """The page names the parts of the NICs in use, and never breaks lines within an arrow."""
    for name, squares in ("demo", 4), ("hca", 3):
        look(browser, name)
        words = browser.run("document.querySelector('#network').textContent + "
                            "document.querySelector('#stations').textContent")
        check(("LANai" in words) == (name == "demo"), name, "names the LANai")
        check("NDT" not in words, name, "uses an abbreviation that is not explained")
        nodes = len(data_of(name)["topology"]["nodes"])
        check(count(browser, "#network .card-part") == squares * nodes, name, "squares of NICs")
        names = browser.run("[...document.querySelectorAll('#rates .name')].map((e) => "
                            "e.textContent).join()")
        check("->" not in names and ("-\u2060>" in names) == (name == "hca"), name,
              "breaks arrows:", names)
        check("not listed" in browser.run("document.querySelector('#rates .legend').textContent")
              or not data_of(name)["others"], name, "does not explain which flows it lists")


def paper(browser):
    look(browser, "clos64", scheme="dark")
    browser.paper("paper.pdf")
    check(os.path.getsize("paper.pdf") > 20000, "paper is empty")
    browser.scheme("dark", media="print")
    check(browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)",
          "paper is not white")
    for selector in (".controls", ".contents", ".top .choice", ".legend-more"):
        check(browser.run("[...document.querySelectorAll('%s')].some((e) => "
                          "e.checkVisibility())" % selector) is False, selector, "on paper")


def main():
    os.chdir(sys.argv[1])
    names = sys.argv[2:]
    tests = (content, contrast, narrow) if names else (
        content, numbers, toggles, highlights, zoom, keyboard, contrast, narrow, hostile, empty,
        pair, turned, sides, losses, kinds, paper)
    with Browser() as browser:
        for test in tests:
            before = failures
            test(*([browser, names] if names else [browser]))
            print("ok" if failures == before else "NOT OK", test.__name__)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
