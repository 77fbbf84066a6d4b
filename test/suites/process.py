"""Runs a tool with a time limit and measures its memory; shared by the suites, agree.py and the fuzzer."""
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
import time

# What no tool may print, whatever its exit status.
CRASH = re.compile(
    r"PLEASE submit a bug report|Stack dump:|Assertion .*failed|LLVM ERROR|UNREACHABLE executed|terminate called|"
    r"AddressSanitizer|runtime error:|LeakSanitizer|Segmentation fault|pure virtual method"
)


class Finished:
    """Exit code (negative: a signal), output, seconds on the clock and of CPU, peak memory in MiB."""

    def __init__(self, command, code, out, err, wall, cpu, mib, timed_out):
        self.command, self.code, self.out, self.err = command, code, out, err
        self.wall, self.cpu, self.mib, self.timed_out = wall, cpu, mib, timed_out

    def crash(self):
        """A description of the crash or hang, or None."""
        if self.timed_out:
            return f"no end after {self.wall:.0f} s"
        if self.code < 0:
            try:
                name = signal.Signals(-self.code).name
            except ValueError:
                name = str(-self.code)
            return f"killed by {name}"
        if self.code >= 128:
            return f"exit code {self.code}"
        found = CRASH.search(self.err)
        return f"printed '{found.group(0)}'" if found else None

    def describe(self, why):
        err = self.err if len(self.err) < 6000 else self.err[:3000] + "\n[...]\n" + self.err[-3000:]
        out = self.out if len(self.out) < 1000 else self.out[:1000] + "\n[...]"
        text = f"{why}\n$ {shlex.join(self.command)}\nexit {self.code}, {self.wall:.1f} s, {self.mib:.0f} MiB\n"
        return text + (f"--- stderr\n{err}\n" if err.strip() else "") + (f"--- stdout\n{out}\n" if out.strip() else "")


def run(command, timeout, env=None, cwd=None):
    command = [str(c) for c in command]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=cwd, start_new_session=True
        )
        late = threading.Event()

        def kill():
            late.set()
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

        timer = threading.Timer(timeout, kill)
        timer.daemon = True
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        wall = time.monotonic() - start
        child.returncode = code = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read(4 << 20).decode("utf-8", "replace"))
    cpu, mib = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0
    return Finished(command, code, texts[0], texts[1], wall, cpu, mib, late.is_set())
