"""The Debian packages: made of the programs that are tested, the same bytes
each time, without complaints of lintian; unpacked they run.

With DEPOSITD_PACKAGE_ROOT=FOLDER, as root and with a network, they are also
installed into a Debian 12 of their own, upgraded and purged. FOLDER is made by
debootstrap if it is not there, and copied for each test."""

import atexit
import functools
import gzip
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import harness
from harness import PROGRAMS, ROOT, SystemTest

EXPOSURE_MAX = 3.0
NEWER = "99.0.0"


def run(*words, **more):
    return subprocess.run([str(x) for x in words], check=True, text=True,
                          capture_output=True, timeout=900, **more).stdout


def unpacked(package, folder):
    run("dpkg-deb", "-x", package, folder)
    return folder


def make(folder, version=""):
    """{name: path} of the packages."""
    run(ROOT / "scripts/package", "--build", PROGRAMS.parent, "--out", folder,
        env={**os.environ, "DEPOSITD_PACKAGE_VERSION": version}
        if version else None)
    return {path.name.split("_")[0]: path for path in folder.glob("*.deb")}


@functools.cache
def folder_of_packages():
    out = Path(tempfile.mkdtemp(prefix="packages-"))
    atexit.register(shutil.rmtree, out)
    make(out)
    return out


def packages():
    """Those of this commit, made once: {name: path}."""
    return {path.name.split("_")[0]: path
            for path in folder_of_packages().glob("*.deb")}


class PackageTest(SystemTest):
    def setUp(self):
        for needed in ("dpkg-buildpackage", "dh", "help2man",
                       "dh_bash-completion"):
            if not shutil.which(needed):
                print(f"SKIPPED: {needed} is missing (scripts/setup)",
                      flush=True)
                self.skipTest(f"{needed} is missing")
        super().setUp()


class Made(PackageTest):
    def test_they_are_the_same_each_time_and_lintian_is_content(self):
        first = packages()
        again = make(self.folder / "again")
        self.assertEqual(sorted(first), ["depositctl", "depositd"])
        for name, path in first.items():
            self.assertEqual(path.read_bytes(), again[name].read_bytes())
        if not shutil.which("lintian"):
            print("SKIPPED: lintian is missing", flush=True)
            return
        run("lintian", "--allow-root", "--fail-on", "error,warning",
            *folder_of_packages().glob("*.changes"))

    def test_unpacked_they_run_with_their_settings(self):
        root = unpacked(packages()["depositd"], self.folder / "root")
        unpacked(packages()["depositctl"], root)
        settings = root / "etc/depositd/depositd.yaml"
        self.assertEqual(settings.stat().st_mode & 0o777, 0o640)
        said = subprocess.run(
            [root / "usr/bin/depositd", "--config", settings, "--set",
             f"data.folder={self.folder / 'data'}", "--set", "http.listen=x"],
            capture_output=True, text=True, timeout=60)
        # What a first deposit takes, as INSTALLING has it.
        self.assertTrue((root / "usr/share/doc/depositd/examples/book.xml"
                         ).is_file())
        # All but what was made wrong on purpose is understood.
        self.assertEqual(said.returncode, 2, said)
        self.assertIn("http.listen", said.stderr)
        self.assertIn("--connect", run(root / "usr/bin/depositctl", "--help"))

    def test_every_setting_is_in_its_manual(self):
        root = unpacked(packages()["depositd"], self.folder / "root")
        page = gzip.decompress(
            (root / "usr/share/man/man5/depositd.yaml.5.gz").read_bytes())
        shown = page.decode().replace("\\-", "-").replace("\\&", "")
        for line in (ROOT / "config/defaults/depositd.yaml").read_text(
                ).splitlines():
            self.assertIn(line.replace("\\", "\\\\"), shown)
        for name, section in (("depositd", 8), ("depositctl", 1)):
            root = unpacked(packages()[name], self.folder / "root")
            manual = root / f"usr/share/man/man{section}/{name}.{section}.gz"
            self.assertIn(".SH", gzip.decompress(manual.read_bytes()).decode())

    def test_words_are_completed(self):
        root = self.folder / "root"
        for one in packages().values():
            unpacked(one, root)
        for program, words, expected in (
                ("depositctl", ["que"], ["queue"]),
                ("depositctl", ["queue", "sus"], ["suspend"]),
                ("depositctl", ["queue", "set", "q", "--allo"],
                 ["--allocation"]),
                ("depositctl", ["deadletter", "rep"], ["replay"]),
                ("depositctl", ["user", "forg"], ["forget"]),
                ("depositctl", ["nonsense", "stat"], ["status"]),
                ("depositd", ["che"], ["check"]),
                ("depositd", ["--dem"], ["--demo"]),
                ("depositd", ["check", "--blobs"], ["--blobs-elsewhere"])):
            file = root / f"usr/share/bash-completion/completions/{program}"
            typed = " ".join(f"'{x}'" for x in [program, *words])
            found = run("bash", "-c", f"source {file}; COMP_WORDS=({typed}); "
                        f"COMP_CWORD={len(words)}; _{program}; "
                        'printf "%s\\n" "${COMPREPLY[@]}"').split()
            self.assertEqual(found, expected, (program, words))

    def test_manuals_have_what_the_programs_say(self):
        root = self.folder / "root"
        for one in packages().values():
            unpacked(one, root)
        for page, words in (("man8/depositd.8", ["--demo", "check"]),
                            ("man1/depositctl.1", ["--connect"]),
                            ("man5/depositd.yaml.5",
                             ["one_loop", "wait_max_s", "retention_days"])):
            text = gzip.decompress((root / f"usr/share/man/{page}.gz")
                                   .read_bytes()).decode().replace("\\", "")
            for word in words:
                self.assertIn(word, text, page)

    def test_the_service_comes_back_whatever_was_away(self):
        unit = (ROOT / "packaging/systemd/depositd.service").read_text()
        self.assertIn("\nRestart=on-failure\n", unit)
        self.assertIn("\nStartLimitIntervalSec=0\n", unit)
        self.assertNotIn("\nRestartPreventExitStatus=", unit)

    def test_the_service_is_shut_in(self):
        if not shutil.which("systemd-analyze"):
            print("SKIPPED: systemd-analyze is missing", flush=True)
            self.skipTest("systemd-analyze is missing")
        root = unpacked(packages()["depositd"], self.folder / "root")
        said = run("systemd-analyze", "security", "--offline=true",
                   "--no-pager", root / "lib/systemd/system/depositd.service")
        exposure = float(re.search(r"exposure level.*?: ([0-9.]+)", said)[1])
        self.assertLess(exposure, EXPOSURE_MAX, said)


class OverThisSystem(PackageTest):
    """On top of this machine's own Debian, which stays as it is: what is
    changed goes into memory that only these commands see."""

    BEGIN = """
        mount -t tmpfs changes "$1"
        cd "$1"
        mkdir up work root
        mount -t overlay changes -o lowerdir=/,upperdir=up,workdir=work root
        mount --bind /proc root/proc
        mount --bind /dev root/dev
        cp "$2" root/tmp/depositd.deb
        chroot root sh -exc "$3"
    """

    def as_root(self, script):
        """Runs it where /tmp/depositd.deb is the package."""
        place = self.folder / "changes"
        place.mkdir()
        words = ["unshare", "-m", "sh", "-ec", self.BEGIN, "sh", place,
                 packages()["depositd"]]
        if os.geteuid() != 0 or not shutil.which("adduser") or subprocess.run(
                [*words, "true"], capture_output=True).returncode != 0:
            print("SKIPPED: takes root, adduser and overlays", flush=True)
            self.skipTest("takes root, adduser and overlays")
        said = subprocess.run([*words, script], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        return said.stdout

    def test_settings_that_were_removed_stay_so(self):
        self.as_root("""
            dpkg -i /tmp/depositd.deb
            test "$(stat -c '%a %U %G' /etc/depositd/depositd.yaml)" = \
                "640 root depositd"
            rm /etc/depositd/depositd.yaml
            dpkg -i /tmp/depositd.deb
            test ! -e /etc/depositd/depositd.yaml
            dpkg --purge depositd
            test ! -e /etc/depositd
            """)

    def test_a_disk_for_the_state_is_emptied_and_stays(self):
        self.as_root("""
            mkdir /var/lib/depositd
            mount -t tmpfs state /var/lib/depositd
            dpkg -i /tmp/depositd.deb
            mkdir -p /var/lib/depositd/journal/.hidden
            dpkg --purge depositd
            mountpoint /var/lib/depositd
            test -z "$(ls -A /var/lib/depositd)"
            ! id depositd
            """)


class Installed(PackageTest):
    """In a Debian of their own, whose network is this machine's."""

    def setUp(self):
        wanted = os.environ.get("DEPOSITD_PACKAGE_ROOT")
        if not wanted:
            print("SKIPPED: DEPOSITD_PACKAGE_ROOT names no folder for a Debian "
                  "12 to install into", flush=True)
            self.skipTest("DEPOSITD_PACKAGE_ROOT is not set")
        super().setUp()
        base = Path(wanted)
        if not base.exists():
            run("debootstrap", "--variant=minbase", "bookworm", base)
        self.root = self.folder / "debian"
        run("cp", "-a", base, self.root)
        # How this machine reaches names, and through whom.
        for name in ("etc/resolv.conf", "etc/hosts"):
            shutil.copy(f"/{name}", self.root / name)
        for name in ("proc", "dev"):
            run("mount", "--rbind", f"/{name}", self.root / name)
            self.addCleanup(run, "umount", "-l", self.root / name)
        self.inside("apt-get", "update", "-q")

    def inside(self, *words):
        return run("chroot", self.root, "env", "-i",
                   "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
                   "DEBIAN_FRONTEND=noninteractive", *words)

    def install(self, version=""):
        made = make(self.folder / f"out{version}", version) if version \
            else packages()
        for path in made.values():
            shutil.copy(path, self.root / "tmp")
        self.inside("apt-get", "install", "-q", "-y",
                    "--no-install-recommends",
                    *(f"/tmp/{x.name}" for x in made.values()))

    def as_service(self):
        """The engine as its unit starts it."""
        unit = (self.root / "lib/systemd/system/depositd.service").read_text()
        command = re.search(r"^ExecStart=(.*)$", unit, re.M)[1].split()
        user = re.search(r"^User=(.*)$", unit, re.M)[1]
        process = subprocess.Popen(
            ["chroot", self.root, "setpriv", f"--reuid={user}",
             f"--regid={user}", "--clear-groups", *command],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        until = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen("http://127.0.0.1:8081/readyz"):
                    return process
            except OSError:
                self.assertIsNone(process.poll())
                self.assertLess(time.monotonic(), until)
                time.sleep(0.1)

    def end(self, process):
        process.terminate()
        self.assertEqual(process.wait(60), 0)

    def ctl(self, *words, text=""):
        return run("chroot", self.root, "depositctl", *words, input=text)

    def typed(self, name):
        """What the lines say that INSTALLING has under this name."""
        text = (ROOT / "docs/INSTALLING.md").read_text()
        lines = re.search(rf"```sh {name}\n(.*?)```", text, re.S)[1]
        return self.inside("sh", "-ec", lines)

    def test_installed_upgraded_and_purged(self):
        self.install()
        state = self.root / "var/lib/depositd"
        self.assertEqual(state.stat().st_mode & 0o777, 0o700)
        engine = self.as_service()
        self.inside("apt-get", "install", "-q", "-y",
                    "--no-install-recommends", "curl")
        self.assertIn("SUCCESS", self.typed("first deposit"))
        self.assertIn("<title>depositd", self.typed("first look"))
        self.assertIn("anna", self.ctl("operator", "list"))
        self.end(engine)
        settings = self.root / "etc/depositd/depositd.yaml"
        settings.write_text(settings.read_text() + "# mine\n")
        self.install(NEWER)
        self.assertIn("# mine", settings.read_text())
        engine = self.as_service()
        self.assertIn("book.xml", self.ctl("submission", "list"))
        self.end(engine)
        self.inside("apt-get", "purge", "-q", "-y", "depositd", "depositctl")
        self.assertFalse(state.exists())
        self.assertFalse(settings.parent.exists())
        self.assertNotIn("depositd", (self.root / "etc/passwd").read_text())


if __name__ == "__main__":
    harness.main()
