-- CTAs and warp instructions of each SM: is the load even?
SELECT trace, gpu, set, policy, sm, count(*) AS ctas, sum(warp_instructions)::BIGINT AS warp_instructions, sum(active_cycles)::BIGINT AS active_cycles
FROM read_parquet('replay-out/ctas/**/*.parquet', hive_partitioning = true)
GROUP BY ALL
ORDER BY ALL;
