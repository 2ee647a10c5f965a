import { aisStream, aisStreamMemory } from './ais-stream.ts'
import { ANALYTIC } from './analytic.ts'
import { webhooks } from './deliveries.ts'
import { exportJobs } from './export-jobs.ts'
import { dgtTableMemory, FEED_MEMORY } from './feed-memory.ts'
import { growth } from './growth.ts'
import { lakeCommitRows } from './lake-commit-rows.ts'
import { limits } from './limits.ts'
import { LISTS } from './lists.ts'
import { liveSaturated } from './live-saturated.ts'
import type { AnyBench } from './measure.ts'
import { mitmaOd } from './mitma-od.ts'
import { PARSING } from './parsing.ts'
import { railGtfsLand } from './rail-gtfs-land.ts'
import { rawLog } from './raw-log.ts'
import { route, routeSlowest } from './route.ts'
import { SCALE } from './scale.ts'
import { search, searchBuild, searchPairs, searchSuggest } from './search.ts'
import { streams } from './streams.ts'
import { TABLES } from './tables.ts'

/** Every bench, in the order they run; those of `scale` with `--lake` only. */
export const BENCHES: readonly AnyBench[] = [
  ...PARSING,
  ...[aisStream, aisStreamMemory, lakeCommitRows, rawLog, exportJobs],
  ...ANALYTIC,
  liveSaturated,
  ...LISTS,
  ...[route, routeSlowest, limits, mitmaOd, railGtfsLand, search, searchPairs, searchSuggest, searchBuild],
  ...TABLES,
  ...[webhooks, streams],
  ...FEED_MEMORY,
  ...[dgtTableMemory, growth],
  ...SCALE,
]
