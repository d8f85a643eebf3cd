-- DRAM bandwidth over time, and its share of the machine's peak.
SELECT trace,
       gpu,
       set,
       policy,
       end_cycles AS time_cycles,
       (dram_read_bytes + dram_write_bytes) / (end_cycles - start_cycles) * core_mhz / 1e3 AS dram_gb_per_s,
       100.0 * dram_gb_per_s / dram_gb_s AS peak_pct
FROM read_parquet('replay-out/timeline/**/*.parquet', hive_partitioning = true) AS t
JOIN read_parquet('replay-out/machines/**/*.parquet', hive_partitioning = true) AS m USING (trace, gpu, set, policy)
WHERE end_cycles > start_cycles
ORDER BY ALL;
