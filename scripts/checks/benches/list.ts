import { aircraftParse } from './aircraft-parse.ts'
import { aisStream, aisStreamMemory } from './ais-stream.ts'
import { ANALYTIC } from './analytic.ts'
import { webhooks } from './deliveries.ts'
import { detectorSitesParse, detectorsParse } from './detectors-parse.ts'
import { dgtParse } from './dgt-parse.ts'
import { exportJobs } from './export-jobs.ts'
import { dgtTableMemory, FEED_MEMORY } from './feed-memory.ts'
import { fuelParse } from './fuel-parse.ts'
import { gasStations } from './gas-stations.ts'
import { growth } from './growth.ts'
import { incidentsApi, incidentsNotModified, summaryApi } from './incidents-api.ts'
import { lakeCommitRows } from './lake-commit-rows.ts'
import { lakeCommitTable } from './lake-commit-table.ts'
import { lakeSensorMonth } from './lake-sensor-month.ts'
import { limits } from './limits.ts'
import { liveSaturated } from './live-saturated.ts'
import type { AnyBench } from './measure.ts'
import { mitmaOd } from './mitma-od.ts'
import { pmParse } from './pm-parse.ts'
import { railBoards, railDepartures } from './rail-departures.ts'
import { railGtfsCorrect, railGtfsLand } from './rail-gtfs-land.ts'
import { railPositionsList } from './rail-positions.ts'
import { rawLog } from './raw-log.ts'
import { route, routeSlowest } from './route.ts'
import { search, searchBuild, searchSuggest } from './search.ts'
import { stationsNear } from './stations-near.ts'
import { streams } from './streams.ts'
import { tableArrow, tableCsv, tableParquet } from './tables.ts'

/** Every bench, in the order they run. */
export const BENCHES: readonly AnyBench[] = [
  dgtParse,
  pmParse,
  detectorsParse,
  detectorSitesParse,
  fuelParse,
  aircraftParse,
  aisStream,
  aisStreamMemory,
  lakeCommitRows,
  lakeCommitTable,
  lakeSensorMonth,
  rawLog,
  exportJobs,
  ...ANALYTIC,
  incidentsApi,
  incidentsNotModified,
  summaryApi,
  gasStations,
  railPositionsList,
  stationsNear,
  route,
  routeSlowest,
  liveSaturated,
  limits,
  mitmaOd,
  railGtfsLand,
  railGtfsCorrect,
  railDepartures,
  railBoards,
  search,
  searchSuggest,
  searchBuild,
  tableCsv,
  tableParquet,
  tableArrow,
  webhooks,
  streams,
  ...FEED_MEMORY,
  dgtTableMemory,
  growth,
]
