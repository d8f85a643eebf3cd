-- CTAs resident at every cycle at which that changes, from the CTAs themselves:
-- each counts one up where it is placed and one down where it ends.
WITH steps AS (
    SELECT trace, gpu, set, policy, unnest([dispatch_cycles, end_cycles]) AS time_cycles, unnest([1, -1]) AS step
    FROM read_parquet('replay-out/ctas/**/*.parquet', hive_partitioning = true)
)
SELECT trace,
       gpu,
       set,
       policy,
       time_cycles,
       sum(sum(step)) OVER (PARTITION BY trace, gpu, set, policy ORDER BY time_cycles)::BIGINT AS resident_ctas
FROM steps
WHERE time_cycles IS NOT NULL
GROUP BY trace, gpu, set, policy, time_cycles
ORDER BY ALL;
