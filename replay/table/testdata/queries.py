"""Runs the queries that are named in the current folder and prints their answers as JSON."""
import json
import os
import sys

import duckdb

answers = {}
for path in sys.argv[1:]:
    with open(path) as f:
        answer = duckdb.sql(f.read())
    answers[os.path.basename(path)] = {"Columns": answer.columns, "Rows": answer.fetchall()}
json.dump(answers, sys.stdout)

# The threads of DuckDB and pyarrow do not always survive the end of the interpreter ("terminate called without an active exception").
sys.stdout.flush()
os._exit(0)
