-- Speedup of each policy over the baseline, for each trace and as geometric mean.
SELECT coalesce(trace, 'geometric mean') AS trace,
       policy,
       CASE WHEN trace IS NULL THEN NULL ELSE max(cycles) END AS cycles,
       exp(avg(ln(speedup))) AS speedup
FROM read_parquet('replay-out/runs/**/*.parquet', hive_partitioning = true)
WHERE speedup IS NOT NULL
GROUP BY GROUPING SETS ((trace, policy), (policy))
ORDER BY trace = 'geometric mean', trace, policy;
