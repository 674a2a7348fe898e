"""Drives a headless Chromium through its debugging pipe, with nothing but Python's own library.

Browser() starts one with a profile of its own, so that several may run side by side; it ends with the `with` block.
"""
import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--hide-scrollbars", "--force-color-profile=srgb", "--mute-audio",
)
TIMEOUT = 60  # seconds for one answer; a busy machine takes several


class BrowserError(Exception):
    """Chromium is missing, does not answer or refuses; the message says which."""


def high_descriptor(descriptor):
    """A copy above those that Chromium expects, 3 and 4."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)


class Browser:
    """One Chromium process with one page."""

    def __init__(self):
        program = next((path for path in map(shutil.which, PROGRAMS) if path), None)
        if program is None:
            raise BrowserError("no Chromium here (looked for " + ", ".join(PROGRAMS) + "); run `make setup`")
        self.profile = tempfile.mkdtemp(prefix="tailcoat-browser-")
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's sandbox refuses to run as root
        command = [program, *OPTIONS, *sandbox, "--user-data-dir=" + self.profile, "about:blank"]
        from_us, to_chromium = os.pipe()
        from_chromium, to_us = os.pipe()
        theirs = high_descriptor(from_us), high_descriptor(to_us)

        def place_pipes():
            os.dup2(theirs[0], 3)
            os.dup2(theirs[1], 4)

        self.process = subprocess.Popen(command, pass_fds=(3, 4), preexec_fn=place_pipes,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for descriptor in (*theirs, from_us, to_us):
            os.close(descriptor)
        self.output, self.input = to_chromium, from_chromium
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        self.attach()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.output)
        os.close(self.input)
        shutil.rmtree(self.profile, ignore_errors=True)

    def attach(self):
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def message(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self.input, 1 << 16) if ready else b""
            if not data:
                raise BrowserError("Chromium " + ("ended" if ready else f"gave no answer for {TIMEOUT} s"))
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        """Sends a command of the DevTools protocol and waits for its result; events meanwhile are kept."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        deadline = time.monotonic() + TIMEOUT
        while True:
            message = self.message(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def look(self, width, height=900, dark=False, media="screen"):
        """Sets the window and the reader's preferences."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def open(self, path):
        """Opens a file and waits until it is loaded; events begin anew."""
        self.events = []
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        deadline = time.monotonic() + TIMEOUT
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message(deadline))

    def evaluate(self, expression):
        """The value of a JavaScript expression on the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self):
        """What the page wrote to the console, as text."""
        texts = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Log.entryAdded":
                texts.append(parameters["entry"]["text"])
            elif event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                texts.append(json.dumps(parameters))
        return texts

    def requests(self):
        """What the page asked for, itself included."""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def picture(self, whole=True):
        """PNG of the page, all of it or what the window shows."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])

    def pdf(self):
        """The page as printed on paper."""
        self.call("Emulation.setEmulatedMedia", media="print", features=[])
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])
