-- Where the cycles of resident CTAs go, in percent of their residence.
SELECT trace,
       gpu,
       set,
       policy,
       100.0 * sum(active_cycles) / sum(end_cycles - dispatch_cycles) AS active_pct,
       100.0 * sum(stalled_memory_cycles) / sum(end_cycles - dispatch_cycles) AS memory_pct,
       100.0 * sum(stalled_issue_cycles) / sum(end_cycles - dispatch_cycles) AS issue_pct,
       100.0 * sum(stalled_barrier_cycles) / sum(end_cycles - dispatch_cycles) AS barrier_pct,
       100.0 * sum(stalled_launch_call_cycles + stalled_child_wait_cycles) / sum(end_cycles - dispatch_cycles) AS launch_pct,
       100.0 * sum(stalled_page_not_ready_cycles + stalled_page_not_owned_cycles) / sum(end_cycles - dispatch_cycles) AS page_pct
FROM read_parquet('replay-out/ctas/**/*.parquet', hive_partitioning = true)
WHERE end_cycles IS NOT NULL
GROUP BY ALL
ORDER BY ALL;
