import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FormatError } from '../../jobs/feeds/define.ts'
import { madridCounts } from '../../jobs/feeds/road/madrid-counts.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import { trafficCountsHourly } from '../../lake/datasets/road/traffic-counts-hourly.ts'
import type { Lake } from '../../lake/open.ts'
import { type Figure, isWithin, type Limit, type Window } from '../../models/figures.ts'
import { boardOf } from '../../models/traffic/board.ts'
import { COUNT_DAY_COLUMNS, type CountDay, countDays } from '../../models/traffic/counts.sql.ts'
import { evaluate, WINDOWS } from '../../models/traffic/evaluate.ts'
import { typicalOf } from '../../models/traffic/typical.ts'
import { landRows } from '../scratch/lake.ts'

/** The folder of the captures that hold the counts of the permanent stations, a file a month. */
const FOLDER = 'madrid-historico/permanentes'
const FILE = /^DatosEstaciones.*\.csv$/
const MOST_ROWS = 1_000_000
/** What a fit to all counts, with all fits on the way there, may take of this machine's time and memory. */
const REFIT_S: Limit = { max: 300 }
const MEMORY_GB: Limit = { max: 2 }
const KB_A_GB = 1e6

/**
 * Reads the monthly files of a folder by their feed into a lake, and measures the traffic model on what its table then has, with the time that it
 * took and the most memory that the process had. A file that is in none of the feed's layouts is told to `say` and left out; throws where none is in one.
 */
export async function evaluateTraffic(
  lake: Lake,
  { data, window, say }: { readonly data: string; readonly window: Window | null; readonly say: (line: string) => void },
): Promise<Figure[]> {
  const folder = join(data, FOLDER)
  const files = readdirSync(folder).filter((file) => FILE.test(file))
  let landed = 0
  for (const name of files.sort()) {
    try {
      const body = { name, bytes: readFileSync(join(folder, name)) }
      const { rows } = await parsePublication(madridCounts, [body], Date.now(), { keeps: () => true })
      const counts = rows.get(trafficCountsHourly.id) ?? []
      if (counts.length === 0) continue
      await landRows(
        lake,
        trafficCountsHourly,
        counts.map((row) => ({ ...row, fetch_id: `${madridCounts.id}.1` })),
      )
      landed++
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      say(`${name}: left out, ${error.message}`)
    }
  }
  if (landed === 0) throw new Error(`${folder}: no file of the permanent stations' counts`)
  const days = await lake.query(countDays(), { columns: COUNT_DAY_COLUMNS, maxRows: MOST_ROWS, timeout_ms: 120_000 })
  const begun = performance.now()
  const board = boardOf(days as unknown as readonly CountDay[])
  const figures = evaluate(board, typicalOf(board), window === null ? WINDOWS : [window])
  const cost = (metric: string, value: number, limit: Limit): Figure => ({
    ...{ model: 'traffic', series: 'all', window: 'all', horizon: '1-4h', metric, value, baseline: null, limit },
    ...{ ok: isWithin(value, limit), points: days.length },
  })
  return [
    ...figures,
    cost('refit_s', (performance.now() - begun) / 1000, REFIT_S),
    cost('memory_gb', process.resourceUsage().maxRSS / KB_A_GB, MEMORY_GB),
  ]
}
