-- Shares of each kernel over time: of the input pages on the device those that it
-- owns, of the SMs those that hold its CTAs; and its finished CTAs. Where kernels
-- overlap (crcs, ppcs, oracle), PPCS brings the two shares together.
WITH points AS (
    SELECT trace, policy, end_cycles AS time_cycles, unnest(kernels) AS kernel, unnest(pages_owned) AS pages_owned,
        unnest(sms_held) AS sms_held, unnest(ctas_finished) AS ctas_finished
    FROM read_parquet('replay-out/timeline/**/*.parquet', hive_partitioning = true)
), sms AS (
    SELECT trace, policy, count(*) AS sms
    FROM read_parquet('replay-out/memory/**/*.parquet', hive_partitioning = true)
    WHERE level = 'l1'
    GROUP BY ALL
), arrivals AS ( -- a page that arrives keeps its owner
    SELECT trace, policy, time_cycles, sum(count(*)) OVER (PARTITION BY trace, policy ORDER BY time_cycles) AS available
    FROM read_parquet('replay-out/pages/**/*.parquet', hive_partitioning = true)
    WHERE ready AND from_kernel IS NOT DISTINCT FROM to_kernel
    GROUP BY trace, policy, time_cycles
)
SELECT points.trace, points.policy, points.time_cycles, kernel, 100.0 * pages_owned / available AS page_share_pct,
    100.0 * sms_held / sms AS sm_share_pct, ctas_finished
FROM points
LEFT JOIN sms ON points.trace = sms.trace AND points.policy = sms.policy
ASOF LEFT JOIN arrivals ON points.trace = arrivals.trace AND points.policy = arrivals.policy AND points.time_cycles >= arrivals.time_cycles
ORDER BY ALL;
