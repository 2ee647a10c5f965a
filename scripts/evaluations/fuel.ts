import { fuelBulletinFeed } from '../../jobs/feeds/fuel/bulletin.ts'
import { fuelBulletin } from '../../lake/datasets/fuel/bulletin.ts'
import type { Lake } from '../../lake/open.ts'
import type { Figure } from '../../models/figures.ts'
import { evaluate } from '../../models/fuel/evaluate.ts'
import { WEEK_COLUMNS, type WeekPrice, weeklyPrices } from '../../models/fuel/weeks.sql.ts'
import { type Given, landFiles } from './captures.ts'
import { evaluateFuelDaily } from './fuel-daily.ts'

const BULLETIN = { folder: 'eu-oil-bulletin', file: /\.(csv|xlsx)(\.gz)?$/, feed: fuelBulletinFeed, into: fuelBulletin } as const
const MOST_ROWS = 1_000_000

/**
 * Reads the bulletin's files of a folder by their feed into a lake, and measures the fuel model on what its table then has; and that of daily means
 * on series of days.
 */
export async function evaluateFuel(lake: Lake, given: Given): Promise<Figure[]> {
  return [...(await evaluateBulletin(lake, given)), ...evaluateFuelDaily(given)]
}

async function evaluateBulletin(lake: Lake, given: Given): Promise<Figure[]> {
  if (!(await landFiles(lake, BULLETIN, given))) return []
  const prices = await lake.query(weeklyPrices(), { columns: WEEK_COLUMNS, maxRows: MOST_ROWS })
  const dates = prices.map((row) => row['date'] as string).sort()
  const figures = evaluate(prices as unknown as readonly WeekPrice[], given.window)
  if (figures.length === 0) given.say(`the bulletin: no outcome of a forecast in the prices of Spain from ${dates[0]} to ${dates.at(-1)}`)
  return figures
}
