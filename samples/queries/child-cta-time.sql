-- Execution time of child CTAs: CTAs of kernels launched by the device, and aggregated ones.
SELECT trace,
       gpu,
       set,
       policy,
       count(*) AS ctas,
       avg(end_cycles - c.start_cycles) AS mean_cycles,
       stddev_pop(end_cycles - c.start_cycles) AS deviation_cycles
FROM read_parquet('replay-out/ctas/**/*.parquet', hive_partitioning = true) AS c
JOIN (
    SELECT trace, gpu, set, policy, kernel, launched_by
    FROM read_parquet('replay-out/kernels/**/*.parquet', hive_partitioning = true)
) USING (trace, gpu, set, policy, kernel)
WHERE kind = 'aggregated' OR launched_by = 'device'
GROUP BY ALL
ORDER BY ALL;
