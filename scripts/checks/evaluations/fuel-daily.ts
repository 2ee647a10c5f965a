import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from '../../../models/figures.ts'
import type { StationMeans } from '../../../models/fuel-daily/days.sql.ts'
import { evaluateDaily } from '../../../models/fuel-daily/evaluate.ts'
import { filesOf, type Given } from './captures.ts'

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
