-- Facts to check before believing a figure: oddities of the traces and broken rules of the model.
SELECT trace, gpu, set, policy, severity AS grade, name AS what, count AS times, help
FROM read_parquet('replay-out/diagnostics/**/*.parquet', hive_partitioning = true)
UNION ALL
SELECT trace, gpu, set, policy, 'audit', rule, count(*), any_value(what)
FROM read_parquet('replay-out/audit/**/*.parquet', hive_partitioning = true)
GROUP BY ALL
ORDER BY ALL;
