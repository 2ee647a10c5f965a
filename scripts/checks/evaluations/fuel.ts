import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fuelBulletinFeed } from '../../../jobs/feeds/fuel/bulletin.ts'
import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import type { Lake } from '../../../lake/open.ts'
import type { Figure } from '../../../models/figures.ts'
import { evaluate } from '../../../models/fuel/evaluate.ts'
import { WEEK_COLUMNS, type WeekPrice, weeklyPrices } from '../../../models/fuel/weeks.sql.ts'
import type { StationMeans } from '../../../models/fuel-daily/days.sql.ts'
import { evaluateDaily } from '../../../models/fuel-daily/evaluate.ts'
import { filesOf, type Given, landFiles } from './captures.ts'

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

const FOLDER = 'miteco-eess-derived'
/** The ministry's own daily mean of Spain: one line per day, one column per product. */
const NATION = { folder: FOLDER, file: /^media_nacional_diaria.*\.csv$/ }
/** Medians by day of a province's stations, thousandths of a euro: one file per province. */
const PROVINCES = /^mediana_diaria_por_provincia/
const PRODUCTS = { '95': 'GASOLINE_95_E5', diesel: 'DIESEL_A' } as const
const DAY = /^\d{4}-\d{2}-\d{2}$/
const MILLS = 1000

/** Content of a province's file: by product, days with thousandths of a euro. */
interface ProvinceFile {
  readonly provincia_id: string
  readonly median: Readonly<Record<string, readonly (readonly [date: string, mills: number])[]>>
}

/**
 * Evaluates the model of daily means on series that no feed reads: Spain's official means, and provinces' medians in place of
 * means. Missing files are reported by `say`.
 */
export function evaluateFuelDaily({ data, window, say }: Given): Figure[] {
  const sources = [
    { named: 'official_daily_mean', means: nationOf(filesOf(data, NATION)) },
    { named: 'province_median', means: provincesOf(filesOf(data, { folder: FOLDER, file: PROVINCES })) },
  ]
  return sources.flatMap(({ named, means }) => {
    const figures = evaluateDaily(means, window, named)
    const days = means.flatMap(({ dates }) => dates).sort()
    if (means.length === 0) say(`${join(data, FOLDER)}: no daily file of ${named}`)
    else if (figures.length === 0) say(`${named}: no forecast with a known outcome from ${days[0]} to ${days.at(-1)}`)
    return figures
  })
}

/** For a day in two files the later file counts. */
function nationOf(paths: readonly string[]): StationMeans[] {
  const byProduct = new Map<string, Map<string, number>>()
  for (const path of paths) {
    const [header = '', ...lines] = readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
    const products = header
      .split(',')
      .map((name) => (/95/.test(name) ? PRODUCTS['95'] : /gas[oó]leo.a/i.test(name) ? PRODUCTS.diesel : null))
    for (const line of lines) {
      const [date = '', ...prices] = line.split(',')
      for (const [at, text] of prices.entries()) {
        const [product, price] = [products[at + 1], Number(text)]
        if (!product || !DAY.test(date) || !(price > 0)) continue
        const days = byProduct.get(product) ?? new Map<string, number>()
        byProduct.set(product, days.set(date, price))
      }
    }
  }
  return [...byProduct].map(([product, days]) => meansOf({ product, area_kind: 'NATION', area: 'ES' }, [...days]))
}

function provincesOf(folders: readonly string[]): StationMeans[] {
  return folders.flatMap((folder) =>
    filesOf(folder, { folder: '.', file: /^\d{2}\.json$/ }).flatMap((path) => {
      const { provincia_id: area, median } = JSON.parse(readFileSync(path, 'utf8')) as ProvinceFile
      return Object.entries(PRODUCTS).flatMap(([key, product]) =>
        median[key]
          ? [
              meansOf(
                { product, area_kind: 'PROVINCE', area },
                median[key].map(([date, mills]) => [date, mills / MILLS]),
              ),
            ]
          : [],
      )
    }),
  )
}

function meansOf(of: Pick<StationMeans, 'product' | 'area_kind' | 'area'>, days: readonly (readonly [string, number])[]): StationMeans {
  const known = days.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { ...of, dates: known.map(([date]) => date), prices: known.map(([, price]) => price) }
}
