"""A folder of tables, in DuckDB, Arrow and data frames."""
from __future__ import annotations

import pathlib
import re
from typing import TYPE_CHECKING, Any, Optional

import duckdb
import pyarrow

from .asked import Queries
from .binary import Error, Path

if TYPE_CHECKING:
    import pandas
    import polars

_TABLE = re.compile(r"read_parquet\('replay-out/(\w+)/\*\*/\*\.parquet', hive_partitioning = true\)")


def _folder() -> pathlib.Path:
    here = pathlib.Path(__file__).resolve().parent
    for at in (here / "queries", here.parents[2] / "samples" / "queries"):
        if at.is_dir():
            return at
    raise Error(2, "the queries are missing: install the wheel of gpureplay")


def queries() -> dict[str, str]:
    """The queries by name, each with its question: the comment at its head."""
    found = {}
    for file in sorted(_folder().glob("*.sql")):
        head = []
        for line in file.read_text().splitlines():
            if not line.startswith("--"):
                break
            head.append(line[2:].strip())
        found[file.stem.replace("-", "_")] = " ".join(head)
    return found


def open_folder(path: Path) -> Results:
    """The tables that lie under a folder, of replays or of a sweep."""
    return Results(path)


def _quoted(text: object) -> str:
    return "'" + str(text).replace("'", "''") + "'"


class Results(Queries):
    """The tables under a folder. Tables are attributes: out.kernels. Queries are methods: out.speedup(baseline="flat").

    path  the folder
    rows  the rows that the command printed; None for a folder that was opened
    """

    def __init__(self, path: Path, rows: Optional[list[dict[str, Any]]] = None, keep: object = None) -> None:
        self.path = pathlib.Path(path)
        self.rows = rows
        self._keep = keep  # a folder that goes with the results
        if not self.path.is_dir():
            raise Error(2, f"there is no folder {path}")

    def __repr__(self) -> str:
        return f"Results({str(self.path)!r}: {', '.join(self.tables())})"

    def __fspath__(self) -> str:
        return str(self.path)

    def tables(self) -> list[str]:
        """The names of the tables that the folder has."""
        return sorted(p.stem for p in self.path.iterdir()
                      if p.suffix == ".parquet" or p.is_dir() and next(p.glob("trace=*"), None))

    def _source(self, name: str) -> str:
        """A table in SQL. The settings of a sweep's cell, a column each, also stand as the column set."""
        if name not in self.tables():
            raise Error(2, f"{self.path} has no table {name}: it has {', '.join(self.tables())}")
        merged = self.path / f"{name}.parquet"
        if not merged.is_file():
            parts = _quoted(self.path / name / "**" / "*.parquet")
            return f"read_parquet({parts}, hive_partitioning = true)"
        columns = duckdb.sql(f"SELECT * FROM read_parquet({_quoted(merged)})").columns
        settings = "".join(f", {_quoted(c[4:] + '=')} || \"{c}\"" for c in columns if c.startswith("set_"))
        return f"(SELECT *, concat_ws(' '{settings}) AS set FROM read_parquet({_quoted(merged)}))"

    def table(self, name: str) -> duckdb.DuckDBPyRelation:
        """A table as a DuckDB relation."""
        return duckdb.sql(f"SELECT * FROM {self._source(name)}")

    def arrow(self, name: str) -> pyarrow.Table:
        """A table as Arrow's."""
        return self.table(name).fetch_arrow_table()

    def pandas(self, name: str) -> pandas.DataFrame:
        """A table as a data frame of pandas."""
        return self.table(name).df()

    def polars(self, name: str) -> polars.DataFrame:
        """A table as a data frame of polars."""
        return self.table(name).pl()

    def views(self, connection: Optional[duckdb.DuckDBPyConnection] = None) -> duckdb.DuckDBPyConnection:
        """Registers every table as a DuckDB view of its own name, and returns the connection (default: a new one)."""
        connection = connection or duckdb.connect()
        self._views = connection  # a relation ends with its connection
        for name in self.tables():
            connection.execute(f'CREATE OR REPLACE VIEW "{name}" AS SELECT * FROM {self._source(name)}')
        return connection

    def sql(self, text: str) -> duckdb.DuckDBPyRelation:
        """A query of one's own: replay-out in it stands for the folder."""
        text = _TABLE.sub(lambda found: self._source(found[1]), text)
        return duckdb.sql(text.replace("replay-out", str(self.path).replace("'", "''")))

    def query(self, name: str, baseline: Optional[str] = None) -> duckdb.DuckDBPyRelation:
        """One of queries(), as a DuckDB relation. Only speedup has a baseline, the policy that it refers to."""
        file = _folder() / (name.replace("_", "-") + ".sql")
        if not file.is_file():
            raise Error(2, f"there is no query {name}: there are {', '.join(queries())}")
        text = file.read_text()
        if baseline is not None:
            if "'serial' AS baseline" not in text:
                raise Error(2, f"the query {name} has no baseline")
            text = text.replace("'serial' AS baseline", f"{_quoted(baseline)} AS baseline")
        return self.sql(text)

    def __getattr__(self, name: str) -> duckdb.DuckDBPyRelation:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self.tables():
            raise AttributeError(f"Results has no {name}; its tables: {', '.join(self.tables())}")
        return self.table(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables()]
