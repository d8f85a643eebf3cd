-- Latency of narrow tasks: from the host's request to their output on the host.
SELECT trace,
       policy,
       count(*) AS tasks,
       avg(latency_ns) AS mean_ns,
       quantile_cont(latency_ns, 0.99) AS p99_ns,
       1e9 * count(*) / any_value(time_ns) AS tasks_per_second
FROM read_parquet('replay-out/tasks/**/*.parquet', hive_partitioning = true)
JOIN (
    SELECT trace, policy, time_ns
    FROM read_parquet('replay-out/runs/**/*.parquet', hive_partitioning = true)
) USING (trace, policy)
GROUP BY trace, policy
ORDER BY ALL;
