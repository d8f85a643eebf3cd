-- Speed-up of each policy over a named baseline of the same trace, machine and settings, for each of them and as
-- geometric mean over the traces. It follows from cycles: a run without that baseline has none.
WITH named AS (SELECT 'serial' AS baseline), -- name yours here
runs AS (
    SELECT trace, gpu, set, policy, cycles FROM read_parquet('replay-out/runs/**/*.parquet', hive_partitioning = true) WHERE complete
), compared AS (
    SELECT r.trace, r.gpu, r.set, r.policy, r.cycles, b.policy AS baseline, b.cycles / r.cycles AS speedup
    FROM runs AS r
    JOIN runs AS b USING (trace, gpu, set)
    JOIN named ON b.policy = named.baseline
)
SELECT coalesce(trace, 'geometric mean') AS trace,
       gpu,
       set,
       policy,
       CASE WHEN trace IS NULL THEN NULL ELSE max(cycles) END AS cycles,
       exp(avg(ln(speedup))) AS speedup
FROM compared
GROUP BY GROUPING SETS ((trace, gpu, set, policy), (gpu, set, policy))
ORDER BY trace = 'geometric mean', trace, gpu, set, policy;
