-- Parent and child CTAs resident over time, and the use of the GPU.
SELECT trace, gpu, set, policy, end_cycles AS time_cycles, parent_ctas, child_ctas, active_warps, registers_used, shared_used_bytes
FROM read_parquet('replay-out/timeline/**/*.parquet', hive_partitioning = true)
ORDER BY ALL;
