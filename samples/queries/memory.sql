-- Hit rates of the caches, and how well DRAM is used.
SELECT trace,
       gpu,
       set,
       policy,
       level,
       sum(accesses)::BIGINT AS accesses,
       100.0 * sum(hits) / nullif(sum(accesses), 0) AS hit_pct,
       100.0 * sum(row_hits) / nullif(sum(accesses), 0) AS row_hit_pct
FROM read_parquet('replay-out/memory/**/*.parquet', hive_partitioning = true)
GROUP BY ALL
ORDER BY ALL;
