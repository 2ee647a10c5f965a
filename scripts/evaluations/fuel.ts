import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { FormatError } from '../../jobs/feeds/define.ts'
import { fuelBulletinFeed } from '../../jobs/feeds/fuel/bulletin.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import { fuelBulletin } from '../../lake/datasets/fuel/bulletin.ts'
import type { Lake } from '../../lake/open.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import type { Figure, Window } from '../../models/figures.ts'
import { evaluate } from '../../models/fuel/evaluate.ts'
import { WEEK_COLUMNS, type WeekPrice, weeklyPrices } from '../../models/fuel/weeks.sql.ts'
import { landRows } from '../scratch/lake.ts'

/** The folder of the captures that hold the bulletin. */
const FOLDER = 'eu-oil-bulletin'
const FILE = /\.(csv|xlsx)(\.gz)?$/
const MOST_ROWS = 1_000_000

/**
 * Reads the bulletin's files of a folder by their feed into a lake, and measures the fuel model on what its table then has. A file that is in none
 * of the feed's layouts is told to `say` and left out; throws where none is in one.
 */
export async function evaluateFuel(
  lake: Lake,
  { data, window, say }: { readonly data: string; readonly window: Window | null; readonly say: (line: string) => void },
): Promise<Figure[]> {
  /** Rows by edition: of a version that comes twice the later file counts, as it does when it lands. */
  const editions = new Map<unknown, AnyRow[]>()
  const folder = join(data, FOLDER)
  for (const name of readdirSync(folder)
    .filter((file) => FILE.test(file))
    .sort()) {
    const read = readFileSync(join(folder, name))
    const bytes = name.endsWith('.gz') ? gunzipSync(read) : read
    try {
      const { rows } = await parsePublication(fuelBulletinFeed, [{ name, bytes }], Date.now(), { keeps: () => true })
      for (const [edition, theirs] of Map.groupBy(rows.get(fuelBulletin.id) ?? [], (row) => row['edition'])) editions.set(edition, theirs)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      say(`${name}: left out, ${error.message}`)
    }
  }
  if (editions.size === 0) throw new Error(`${folder}: no file of the bulletin`)
  const rows = [...editions.values()].flat().map((row) => ({ ...row, fetch_id: `${fuelBulletinFeed.id}.1` }))
  await landRows(lake, fuelBulletin, rows)
  const prices = await lake.query(weeklyPrices(), { columns: WEEK_COLUMNS, maxRows: MOST_ROWS })
  return evaluate(prices as unknown as readonly WeekPrice[], window)
}
