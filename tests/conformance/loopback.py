"""Starts a real Trino 435 on loopback, built once from Maven's artifacts into the cache folder."""

import hashlib
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import platformdirs

CATALOG = "awsdatacatalog"
RUNNING = "CONFORMANCE_TRINO"
"""The variable that names a Trino to use instead: ``http://127.0.0.1:8080``."""
OLDEST_JAVA = 17
HEAP = "-Xmx2g"
BUILD_SECONDS = 900
SOURCES = Path(__file__).parent / "trino"
BUILT = re.findall(r"<trino>(\d+)<", (SOURCES / "pom.xml").read_text(encoding="utf-8"))[0]
"""Trino's version."""
CLASSPATH = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath"
INSTALL = "on Debian: apt-get install openjdk-17-jdk-headless maven"


class NoTrinoError(Exception):
    """This machine cannot start one; says what to install."""


@contextmanager
def trino() -> Iterator[str]:
    """Yield the address of a running Trino: the one that ``RUNNING`` names, else one started here.

    Raises:
        NoTrinoError: Java or Maven is missing, or the build or the start fails; says what to do.
    """
    given = os.environ.get(RUNNING)
    if given:
        yield given.rstrip("/")
        return
    refuse_without_java()
    folder = built()
    with _started(folder) as address:
        yield address


def refuse_without_java() -> None:
    """Raise NoTrinoError where Java 17 or Maven is missing."""
    java = _java()
    if shutil.which(java) is None or shutil.which("mvn") is None:
        raise NoTrinoError(f"A real Trino needs Java {OLDEST_JAVA} and Maven; {INSTALL}.")
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', said)
    if found is None or int(found[1]) < OLDEST_JAVA:
        version = found[1] if found else "unknown"
        raise NoTrinoError(f"Java is {version}, Trino needs {OLDEST_JAVA} or newer; {INSTALL}.")


def built() -> Path:
    """Return the folder with the compiled starter and its class path, made on first use."""
    digest = hashlib.sha256()
    for source in sorted(SOURCES.iterdir()):
        digest.update(source.read_bytes())
    folder = Path(platformdirs.user_cache_dir("querymend")) / f"trino-{digest.hexdigest()[:12]}"
    if not (folder / "classpath").is_file():
        _build(folder)
    return folder


def _build(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for source in SOURCES.iterdir():
        shutil.copy(source, folder)
    command = ["mvn", "-q", "-B", "compile", CLASSPATH, "-Dmdep.outputFile=classpath"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
    )
    if done.returncode:
        (folder / "classpath").unlink(missing_ok=True)
        raise NoTrinoError(f"Maven cannot build a Trino in {folder}:\n{done.stdout[-2000:]}")


@contextmanager
def _started(folder: Path) -> Iterator[str]:
    """Run it; it ends when its stdin closes, even if this process is killed."""
    classes = f"{folder / 'target' / 'classes'}:{(folder / 'classpath').read_text().strip()}"
    opened = "--add-opens=java.base/java.nio=ALL-UNNAMED"
    command = [_java(), HEAP, opened, "-Duser.timezone=UTC", "-cp", classes, "TrinoOnLoopback"]
    log = folder / "log"
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        with log.open("w", encoding="utf-8") as kept:
            address = _address(process.stdout, kept)
            if not address:
                raise NoTrinoError(f"Trino did not start; its log is {log}.")
            drain = threading.Thread(target=_drain, args=(process.stdout, kept), daemon=True)
            drain.start()
            try:
                yield address
            finally:
                process.stdin.close()
                drain.join()


def _address(output: IO[str], kept: IO[str]) -> str:
    for line in output:
        kept.write(line)
        found = re.search(r"TRINO (http://\S+)", line)
        if found:
            return found[1]
    return ""


def _drain(output: IO[str], kept: IO[str]) -> None:
    """Keep reading: a full pipe would stop the server."""
    for line in output:
        kept.write(line)


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    return f"{home}/bin/java" if home else "java"
