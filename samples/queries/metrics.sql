-- What the policies add of their own, one column for each policy.
PIVOT (
    SELECT trace, policy, name, value
    FROM read_parquet('replay-out/metrics/**/*.parquet', hive_partitioning = true)
)
ON policy USING first(value) GROUP BY trace, name ORDER BY trace, name;
