-- How long the stages of a program take, each on its own: they may overlap.
SELECT trace, gpu, set, policy, stage, count(*) AS intervals, sum(end_cycles - start_cycles)::BIGINT AS cycles, sum(bytes)::BIGINT AS bytes
FROM read_parquet('replay-out/stages/**/*.parquet', hive_partitioning = true)
GROUP BY ALL
ORDER BY ALL;
