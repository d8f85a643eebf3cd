-- Occupancy over time: resident warps over those that the machine holds.
SELECT trace, gpu, set, policy, end_cycles AS time_cycles, 100.0 * active_warps / nullif(sms * warps_per_sm, 0) AS occupancy_pct
FROM read_parquet('replay-out/timeline/**/*.parquet', hive_partitioning = true) AS t
JOIN read_parquet('replay-out/machines/**/*.parquet', hive_partitioning = true) AS m USING (trace, gpu, set, policy)
ORDER BY ALL;
