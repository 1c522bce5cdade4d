"""Fixtures of all Python tests: the shared Spark session, the engines, and the golden tables."""

from __future__ import annotations

import os
import shutil
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from connect_server import ConnectServer
from engines import SELF_CHECK, Engine, hudi, hudilite
from pyspark.sql import SparkSession
from sessions import Sessions

from hudilite import configure

os.environ["TZ"] = "UTC"
time.tzset()


@pytest.fixture(scope="session")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    """The keeper of the one running session."""
    keeper = Sessions(tmp_path_factory.mktemp("spark"), hudi_alone=SELF_CHECK)
    yield keeper
    keeper.stop()


@pytest.fixture
def spark(sessions: Sessions) -> SparkSession:
    """A local session with hudilite and nothing else."""
    return sessions.get("interop" if SELF_CHECK else "plain")


@pytest.fixture(scope="session")
def connect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    """A Spark Connect server with hudilite, in a process of its own."""
    server = ConnectServer(tmp_path_factory.mktemp("connect"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def connect(connect_server: ConnectServer) -> Iterator[SparkSession]:
    """A session of Spark Connect, beside the local one; functions of columns are in `pyspark.sql.connect.functions`."""
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    # The builder of the class itself leaves the rest of the process to classic sessions.
    session = configure(ConnectSession.builder.remote(connect_server.url)).create()
    yield session
    session.stop()


@pytest.fixture
def lite(spark: SparkSession) -> Engine:
    """The connector under test."""
    return hudi(spark) if SELF_CHECK else hudilite(spark)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test's table goes; nothing is there yet."""
    return tmp_path / "table"


@pytest.fixture(scope="session")
def golden_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked golden tables, for reading only."""
    root = tmp_path_factory.mktemp("golden")
    with tarfile.open(Path(__file__).parent / "golden" / "golden.tar.gz") as archive:
        archive.extractall(root, filter="data")
    return root


@pytest.fixture
def golden_copy(golden_root: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Copies one golden table to a place where it may be changed, and returns that place."""

    def copy(scenario: str) -> Path:
        target = tmp_path / scenario
        shutil.copytree(golden_root / scenario / "table", target)
        return target

    return copy
