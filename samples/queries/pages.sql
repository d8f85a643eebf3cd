-- Input pages on the device over time: a page that arrives keeps its owner.
SELECT trace,
       gpu,
       set,
       policy,
       time_cycles,
       sum(count(*)) OVER (PARTITION BY trace, gpu, set, policy ORDER BY time_cycles)::BIGINT AS pages
FROM read_parquet('replay-out/pages/**/*.parquet', hive_partitioning = true)
WHERE ready AND from_kernel IS NOT DISTINCT FROM to_kernel
GROUP BY trace, gpu, set, policy, time_cycles
ORDER BY ALL;
