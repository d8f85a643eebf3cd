-- Progress of each kernel over time: how much of its CTAs has finished.
-- Dependent kernels that overlap show as lines that rise together.
WITH progress AS (
    SELECT trace, policy, end_cycles AS time_cycles, unnest(kernels) AS kernel, unnest(ctas_finished) AS finished
    FROM read_parquet('replay-out/timeline/**/*.parquet', hive_partitioning = true)
)
SELECT trace, policy, kernel, function, time_cycles, 100.0 * finished / ctas AS finished_pct
FROM progress
JOIN read_parquet('replay-out/kernels/**/*.parquet', hive_partitioning = true) USING (trace, policy, kernel)
WHERE ctas > 0
ORDER BY ALL;
