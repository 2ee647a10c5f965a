import { fuelBulletinFeed } from '../../../jobs/feeds/fuel/bulletin.ts'
import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import type { Lake } from '../../../lake/open.ts'
import type { Figure } from '../../../models/figures.ts'
import { evaluate } from '../../../models/fuel/evaluate.ts'
import { WEEK_COLUMNS, type WeekPrice, weeklyPrices } from '../../../models/fuel/weeks.sql.ts'
import { type Given, landFiles } from './captures.ts'
import { evaluateFuelDaily } from './fuel-daily.ts'

const BULLETIN = { folder: 'eu-oil-bulletin', file: /\.(csv|xlsx)(\.gz)?$/, feed: fuelBulletinFeed, into: fuelBulletin } as const
const MOST_ROWS = 1_000_000

/**
 * Reads the bulletin's files of a folder into a lake through their feed, and evaluates the fuel model on the table; also
 * evaluates the model of daily means on daily series.
 */
export async function evaluateFuel(lake: Lake, given: Given): Promise<Figure[]> {
  return [...(await evaluateBulletin(lake, given)), ...evaluateFuelDaily(given)]
}

async function evaluateBulletin(lake: Lake, given: Given): Promise<Figure[]> {
  if (!(await landFiles(lake, BULLETIN, given))) return []
  const prices = await lake.query(weeklyPrices(), { columns: WEEK_COLUMNS, maxRows: MOST_ROWS })
  const dates = prices.map((row) => row['date'] as string).sort()
  const figures = evaluate(prices as unknown as readonly WeekPrice[], given.window)
  if (figures.length === 0) given.say(`bulletin: no forecast with a known outcome in Spain's prices from ${dates[0]} to ${dates.at(-1)}`)
  return figures
}
