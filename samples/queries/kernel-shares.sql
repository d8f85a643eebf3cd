-- Shares of each kernel over time: of the input pages on the device those that it
-- owns, of the SMs those that hold its CTAs; and its finished CTAs. Where kernels
-- overlap (crcs, ppcs, oracle), PPCS brings the two shares together.
WITH points AS (
    SELECT trace, gpu, set, policy, end_cycles AS time_cycles, unnest(kernels) AS kernel, unnest(pages_owned) AS pages_owned,
        unnest(sms_held) AS sms_held, unnest(ctas_finished) AS ctas_finished
    FROM read_parquet('replay-out/timeline/**/*.parquet', hive_partitioning = true)
), sms AS (
    SELECT trace, gpu, set, policy, sms
    FROM read_parquet('replay-out/machines/**/*.parquet', hive_partitioning = true)
), arrivals AS ( -- a page that arrives keeps its owner
    SELECT trace, gpu, set, policy, time_cycles, sum(count(*)) OVER (PARTITION BY trace, gpu, set, policy ORDER BY time_cycles) AS available
    FROM read_parquet('replay-out/pages/**/*.parquet', hive_partitioning = true)
    WHERE ready AND from_kernel IS NOT DISTINCT FROM to_kernel
    GROUP BY trace, gpu, set, policy, time_cycles
)
SELECT points.trace, points.gpu, points.set, points.policy, points.time_cycles, kernel, 100.0 * pages_owned / available AS page_share_pct,
    100.0 * sms_held / sms AS sm_share_pct, ctas_finished
FROM points
LEFT JOIN sms USING (trace, gpu, set, policy)
ASOF LEFT JOIN arrivals ON points.trace = arrivals.trace AND points.gpu = arrivals.gpu AND points.set = arrivals.set AND points.policy = arrivals.policy AND points.time_cycles >= arrivals.time_cycles
ORDER BY ALL;
