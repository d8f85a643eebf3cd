-- Waiting time of child launches: from the launch call to the first CTA of the child.
SELECT trace,
       gpu,
       set,
       policy,
       count(waiting_cycles) AS launches,
       avg(waiting_cycles) AS mean_cycles,
       quantile_cont(waiting_cycles, 0.5) AS p50_cycles,
       quantile_cont(waiting_cycles, 0.95) AS p95_cycles,
       max(waiting_cycles) AS max_cycles
FROM read_parquet('replay-out/launches/**/*.parquet', hive_partitioning = true)
WHERE decision <> 'inline'
GROUP BY ALL
ORDER BY ALL;
