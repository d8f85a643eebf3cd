-- Latency of narrow tasks: from the host's request to their output on the host.
SELECT trace,
       gpu,
       set,
       policy,
       count(*) AS tasks,
       avg(latency_ns) AS mean_ns,
       quantile_cont(latency_ns, 0.99) AS p99_ns,
       1e9 * count(*) / any_value(time_ns) AS tasks_per_second
FROM read_parquet('replay-out/tasks/**/*.parquet', hive_partitioning = true)
JOIN (
    SELECT trace, gpu, set, policy, time_ns
    FROM read_parquet('replay-out/runs/**/*.parquet', hive_partitioning = true)
) USING (trace, gpu, set, policy)
GROUP BY trace, gpu, set, policy
ORDER BY ALL;
