-- Work of each stream: kernels, the sum of their durations, and the time from its first to its last.
SELECT trace,
       gpu,
       set,
       policy,
       stream,
       count(*) AS kernels,
       sum(duration_cycles)::BIGINT AS kernel_cycles,
       max(end_cycles) - min(first_cta_cycles) AS span_cycles
FROM read_parquet('replay-out/kernels/**/*.parquet', hive_partitioning = true)
WHERE first_cta_cycles IS NOT NULL
GROUP BY ALL
ORDER BY ALL;
