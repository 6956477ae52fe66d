# SPDX-License-Identifier: BSD-3-Clause
"""Controls a headless Chromium over a pair of pipes (DevTools protocol), with the
standard library only."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

SKIP = 77
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37,
        "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "+": 187, "-": 189}


def find():
    """Return the path of the browser, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return name
    return None


class Browser:
    """Show one page at a time, and collect the network requests and the errors of
    the page."""

    def __init__(self, seconds=120):
        self.seconds = seconds  # maximum time for an answer
        self.end = 0
        self.profile = tempfile.mkdtemp(prefix="page-browser.")
        self.number = 0
        self.buffer = b""
        self.complaints, self.requests = [], []
        to_browser, self.writer = os.pipe()
        self.reader, from_browser = os.pipe()
        self.process = subprocess.Popen(
            # the browser reads commands from file descriptor 3 and writes answers to 4
            ["bash", "-c", 'exec "$@" 3<&%d 4>&%d' % (to_browser, from_browser), "bash",
             find(), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
             "--user-data-dir=" + self.profile, "about:blank"],
            pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.tell(domain + ".enable")

    def close(self):
        try:
            self.call("Browser.close")
        except (OSError, EOFError, TimeoutError):
            self.process.kill()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # --- the protocol ----------------------------------------------------------

    def message(self):
        while b"\0" not in self.buffer:
            left = self.end - time.monotonic()
            if left <= 0 or not select.select([self.reader], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.reader, 1 << 20)
            if not piece:
                raise EOFError("the browser has ended")
            self.buffer += piece
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def note(self, message):
        method, what = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description",
                                                                   details["text"]))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append("console: %s" % what["args"])
        elif method == "Log.entryAdded":
            self.complaints.append("log: " + what["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        self.last = method

    def call(self, method, session=None, **params):
        self.number += 1
        self.end = time.monotonic() + self.seconds
        call = {"id": self.number, "method": method, "params": params}
        if session:
            call["sessionId"] = session
        os.write(self.writer, json.dumps(call).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                break
            self.note(answer)
        if "error" in answer:
            raise RuntimeError("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def tell(self, method, **params):
        return self.call(method, self.session, **params)

    # --- a page ----------------------------------------------------------------

    def open(self, path, width=1280, height=900, scheme="light"):
        self.complaints.clear()
        self.requests.clear()
        self.size(width, height)
        self.scheme(scheme)
        self.tell("Page.navigate", url="file://" + os.path.abspath(path))
        self.settle()

    def size(self, width, height=900):
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def scheme(self, scheme, media=""):
        self.tell("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def settle(self):
        """Wait until the page is loaded and drawn."""
        self.run("new Promise((done) => { const look = () => "
                 "document.readyState === 'complete' && document.querySelector('footer') "
                 "? requestAnimationFrame(() => requestAnimationFrame(() => "
                 "setTimeout(done, 20))) : setTimeout(look, 20); look(); })")

    def run(self, expression):
        """Return the value of a JavaScript expression in the page."""
        answer = self.tell("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError("%s: %s" % (expression, answer["exceptionDetails"]))
        return answer["result"].get("value")

    def key(self, key, shift=False):
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        common = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS.get(key, 0),
                  "modifiers": 8 if shift else 0}
        self.tell("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown",
                  **({"text": text} if text else {}), **common)
        self.tell("Input.dispatchKeyEvent", type="keyUp", **common)

    def mouse(self, kind, x, y, **more):
        self.tell("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, start, end):
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button="left", clickCount=1)
        self.mouse("mouseMoved", *end, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)
        self.settle()

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.settle()

    def picture(self, path, whole=True):
        data = self.tell("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def paper(self, path):
        data = self.tell("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
