-- Kernels that run at once, at every cycle at which that changes: each counts one up
-- with its first CTA and one down where it ends.
WITH steps AS (
    SELECT trace, gpu, set, policy, unnest([first_cta_cycles, end_cycles]) AS time_cycles, unnest([1, -1]) AS step
    FROM read_parquet('replay-out/kernels/**/*.parquet', hive_partitioning = true)
    WHERE first_cta_cycles IS NOT NULL
)
SELECT trace,
       gpu,
       set,
       policy,
       time_cycles,
       sum(sum(step)) OVER (PARTITION BY trace, gpu, set, policy ORDER BY time_cycles)::BIGINT AS kernels
FROM steps
GROUP BY trace, gpu, set, policy, time_cycles
ORDER BY ALL;
