-- Predicted time of each kernel against the recorded one.
SELECT trace,
       gpu,
       set,
       policy,
       function,
       count(*) AS kernels,
       sum(duration_ns)::BIGINT AS predicted_ns,
       sum(recorded_duration_ns)::BIGINT AS recorded_ns,
       100.0 * avg(abs(duration_ns - recorded_duration_ns) / recorded_duration_ns) AS mean_error_pct
FROM read_parquet('replay-out/kernels/**/*.parquet', hive_partitioning = true)
WHERE recorded_duration_ns > 0 AND duration_ns IS NOT NULL
GROUP BY ALL
ORDER BY ALL;
