-- Child launches made up to a time, by the time of the request.
SELECT trace,
       gpu,
       set,
       policy,
       time_cycles,
       count(*) AS launches,
       sum(count(*)) OVER (PARTITION BY trace, gpu, set, policy ORDER BY time_cycles)::BIGINT AS launches_so_far
FROM read_parquet('replay-out/launches/**/*.parquet', hive_partitioning = true)
WHERE decision <> 'inline'
GROUP BY trace, gpu, set, policy, time_cycles
ORDER BY ALL;
