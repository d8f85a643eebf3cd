-- Progress of each kernel over time: how much of its CTAs has finished, at each
-- sample of the timeline, at its first CTA and at its end. Dependent kernels
-- that overlap show as lines that rise together.
WITH launched AS (
    SELECT trace, gpu, set, policy, kernel, function, ctas, first_cta_cycles, end_cycles
    FROM read_parquet('replay-out/kernels/**/*.parquet', hive_partitioning = true)
    WHERE ctas > 0 AND first_cta_cycles IS NOT NULL
), points AS (
    SELECT trace, gpu, set, policy, unnest(kernels) AS kernel, end_cycles AS time_cycles, unnest(ctas_finished) AS finished
    FROM read_parquet('replay-out/timeline/**/*.parquet', hive_partitioning = true)
    UNION
    SELECT trace, gpu, set, policy, kernel, first_cta_cycles, 0 FROM launched
    UNION
    SELECT trace, gpu, set, policy, kernel, end_cycles, ctas FROM launched
)
SELECT trace, gpu, set, policy, kernel, function, time_cycles, 100.0 * finished / ctas AS finished_pct
FROM points
JOIN launched USING (trace, gpu, set, policy, kernel)
WHERE time_cycles >= first_cta_cycles
ORDER BY ALL;
