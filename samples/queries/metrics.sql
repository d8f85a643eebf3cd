-- Figures that the policies add, one column for each policy.
PIVOT (
    SELECT trace, gpu, set, policy, name, value
    FROM read_parquet('replay-out/metrics/**/*.parquet', hive_partitioning = true)
)
ON policy USING first(value) GROUP BY trace, gpu, set, name ORDER BY ALL;
