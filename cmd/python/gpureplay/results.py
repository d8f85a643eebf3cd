"""A folder of tables, in DuckDB, Arrow and pandas."""
import pathlib

import duckdb

from .binary import Error


def _folder():
    here = pathlib.Path(__file__).resolve().parent
    for at in (here / "queries", here.parents[2] / "samples" / "queries"):
        if at.is_dir():
            return at
    raise Error(2, "the queries are missing: install the wheel of gpureplay")


def queries():
    """The queries by name, each with what it answers: the comment at its head."""
    found = {}
    for file in sorted(_folder().glob("*.sql")):
        head = []
        for line in file.read_text().splitlines():
            if not line.startswith("--"):
                break
            head.append(line[2:].strip())
        found[file.stem.replace("-", "_")] = " ".join(head)
    return found


def open_folder(path):
    """The tables that lie under a folder."""
    return Results(path)


class Results:
    """The tables under a folder. Tables are attributes: out.kernels. Queries are methods: out.speedup(baseline="flat")."""

    def __init__(self, path, rows=None, keep=None):
        self.path = pathlib.Path(path)
        self.rows = rows  # what the command printed
        self._keep = keep  # a folder that goes with the results
        if not self.path.is_dir():
            raise Error(2, f"there is no folder {path}")

    def __repr__(self):
        return f"Results({str(self.path)!r}: {', '.join(self.tables())})"

    def tables(self):
        """The names of the tables that the folder has."""
        return sorted(p.name for p in self.path.iterdir() if p.is_dir() and next(p.glob("trace=*"), None))

    def _glob(self, name):
        if name not in self.tables():
            raise Error(2, f"{self.path} has no table {name}: it has {', '.join(self.tables())}")
        return str(self.path / name / "**" / "*.parquet").replace("'", "''")

    def table(self, name):
        """A table as a DuckDB relation."""
        return duckdb.sql(f"SELECT * FROM read_parquet('{self._glob(name)}', hive_partitioning = true)")

    def arrow(self, name):
        """A table as Arrow's."""
        return self.table(name).fetch_arrow_table()

    def pandas(self, name):
        """A table as a data frame of pandas."""
        return self.table(name).df()

    def polars(self, name):
        """A table as a data frame of polars."""
        return self.table(name).pl()

    def views(self, connection=None):
        """Registers every table as a DuckDB view of its own name, and returns the connection (default: a new one)."""
        connection = connection or duckdb.connect()
        self._views = connection  # a relation ends with its connection
        for name in self.tables():
            connection.execute(f"CREATE OR REPLACE VIEW \"{name}\" AS SELECT * FROM "
                               f"read_parquet('{self._glob(name)}', hive_partitioning = true)")
        return connection

    def sql(self, text):
        """A query of one's own: replay-out in it stands for the folder."""
        return duckdb.sql(text.replace("replay-out", str(self.path).replace("'", "''")))

    def query(self, name, baseline=None):
        """One of queries(), as a DuckDB relation. baseline is the policy that the query speedup refers to."""
        file = _folder() / (name.replace("_", "-") + ".sql")
        if not file.is_file():
            raise Error(2, f"there is no query {name}: there are {', '.join(queries())}")
        text = file.read_text()
        if baseline is not None:
            text = text.replace("'serial' AS baseline", "'{}' AS baseline".format(baseline.replace("'", "''")))
        return self.sql(text)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.tables() and name not in queries():
            return self.table(name)
        if name not in queries():
            raise AttributeError(f"Results has no {name}; tables: {', '.join(self.tables())}; queries: {', '.join(queries())}")

        def ask(baseline=None):
            return self.query(name, baseline)

        ask.__name__, ask.__doc__ = name, queries()[name]
        return ask

    def __dir__(self):
        return [*super().__dir__(), *self.tables(), *queries()]
