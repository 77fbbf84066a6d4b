"""What the scripts share that make a bundle of target c of another one, with its kernels compiled for this machine."""
import json
import os
import subprocess
import sys

FLAGS = ["-O1", "-ffp-contract=off", "-fno-math-errno", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]


class Bundle:
    def __init__(self, folder):
        self.folder = folder
        with open(self.path("manifest.json")) as f:
            self.manifest = json.load(f)
        self.kernels = self.manifest["kernels"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        """The kernels' source; a bundle that launches nothing may have none."""
        if not self.kernels:
            return ""
        with open(self.path(name)) as f:
            return f.read()

    def compile(self, clang, source, flags):
        """Turns the bundle into one of target c: the exit status of the script."""
        with open(self.path("emulated.cpp"), "w") as f:
            f.write(source)
        command = [clang] + FLAGS + flags + ["-shared", "-fPIC", self.path("emulated.cpp"), "-o", self.path("kernels.so")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode or done.stderr:
            print(done.stderr, file=sys.stderr)
            return 3
        for kernel in self.kernels:
            # The C kernel ABI knows blocks only.
            kernel.update(file="kernels.so", block=[1, 1, 1])
        self.manifest["target"] = "c"
        with open(self.path("manifest.json"), "w") as f:
            json.dump(self.manifest, f)
        return 0
