-- Outcomes of child launches, with reasons.
SELECT trace,
       gpu,
       set,
       policy,
       decision,
       reason,
       count(*) AS launches,
       min(workload_items) AS least_items,
       max(workload_items) AS most_items,
       sum(child_ctas)::BIGINT AS child_ctas
FROM read_parquet('replay-out/launches/**/*.parquet', hive_partitioning = true)
GROUP BY ALL
ORDER BY ALL;
