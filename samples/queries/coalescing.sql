-- Child launches that joined a kernel in the distributor, of those that were made.
SELECT trace,
       gpu,
       set,
       policy,
       count(*) AS launches,
       count(*) FILTER (decision = 'group') AS joined,
       100.0 * joined / launches AS joined_pct
FROM read_parquet('replay-out/launches/**/*.parquet', hive_partitioning = true)
WHERE decision <> 'inline'
GROUP BY ALL
ORDER BY ALL;
