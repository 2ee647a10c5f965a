import { dgtAccidents } from '../../../jobs/feeds/safety/dgt-accidents.ts'
import { dgtAnimalAccidents } from '../../../jobs/feeds/safety/dgt-animal-accidents.ts'
import { madridAccidents } from '../../../jobs/feeds/safety/madrid-accidents.ts'
import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { dgtAccidentFiles } from '../../../lake/datasets/safety/sources.ts'
import type { Lake } from '../../../lake/open.ts'
import { scan } from '../../../lake/query/scan.ts'
import type { Sql } from '../../../lake/query/sql.ts'
import type { Figure, Window } from '../../../models/figures.ts'
import type { SectionAccident } from '../../../models/risk/accidents.ts'
import { ANIMALS as ANIMALS_BASIS, CASUALTIES, type RiskBasis } from '../../../models/risk/bases.ts'
import { type CityDays, evaluateCity } from '../../../models/risk/city.ts'
import { evaluateSections } from '../../../models/risk/evaluate.ts'
import {
  CITY_ACCIDENT_COLUMNS,
  type CityAccident,
  casualtyAccidents,
  cityAccidents,
  SECTION_ACCIDENT_COLUMNS,
  sectionAccidents,
} from '../../../models/risk/rows.sql.ts'
import { type Given, landFiles } from './captures.ts'

const MOST_ROWS = 1_000_000
const DAY_MS = 86_400_000
const ANIMALS = {
  ...{ folder: 'dgt-accidentes', file: /^ACC_ANIMALES.*\.csv(\.gz)?$/i },
  ...{ feed: dgtAnimalAccidents, into: animalAccidents },
} as const
const NATIONAL = {
  ...{ folder: 'dgt-accidentes', file: /^tabla[-_]accidentes.*\.xlsx$/i },
  ...{ feed: dgtAccidents, into: roadAccidents },
} as const
const MADRID = {
  ...{ folder: 'madrid-accidentes', file: /^\d{4}.*accidentalidad.*\.(csv(\.gz)?|xlsx)$/i },
  ...{ feed: madridAccidents, into: roadAccidents },
} as const

/**
 * Reads the accidents of a folder into a lake through their feeds, and evaluates the risk models on its tables: of road sections
 * (accidents with animals, and those of the national table) and of Madrid's districts. Missing files and models that cannot be
 * evaluated are reported by `say`.
 */
export async function evaluateRisk(lake: Lake, given: Given): Promise<Figure[]> {
  const { window, say } = given
  const figures: Figure[] = []
  if (await landFiles(lake, ANIMALS, given)) {
    figures.push(...(await sectionFigures(lake, sectionAccidents(), { basis: ANIMALS_BASIS, window, say })))
  }
  if (await landFiles(lake, NATIONAL, given)) {
    const national = scan(roadAccidents, { source: { eq: dgtAccidentFiles.id } })
    figures.push(...(await sectionFigures(lake, casualtyAccidents(national), { basis: CASUALTIES, window, say })))
  }
  if (await landFiles(lake, MADRID, given)) {
    const rows = await lake.query(cityAccidents('madrid'), { columns: CITY_ACCIDENT_COLUMNS, maxRows: MOST_ROWS })
    figures.push(...cityFigures(rows as unknown as readonly CityAccident[], window, say))
  }
  return figures
}

/** The figures of the model of a basis; none, reported by `say`, if its accidents cannot be evaluated. */
async function sectionFigures(
  lake: Lake,
  accidents: Sql,
  { basis, window, say }: Pick<Given, 'window' | 'say'> & { readonly basis: RiskBasis },
): Promise<readonly Figure[]> {
  const rows = await lake.query(accidents, { columns: SECTION_ACCIDENT_COLUMNS, maxRows: MOST_ROWS })
  const found = evaluateSections(rows as unknown as readonly SectionAccident[], window, basis)
  if (found.reason !== undefined) say(`${basis.series}: not measured, ${found.reason}`)
  return found.figures
}

/** The days of the window, or of the newest year, predicted from the year before. */
function cityFigures(accidents: readonly CityAccident[], window: Window | null, say: Given['say']): Figure[] {
  const last = accidents.at(-1)?.local_date
  if (last === undefined) return []
  const asked = window ?? { from: `${last.slice(0, 4)}-01-01`, to: last }
  const year = String(Number(asked.from.slice(0, 4)) - 1)
  const before = daysOf(accidents.filter(({ local_date }) => local_date.startsWith(year)))
  const after = daysOf(accidents.filter(({ local_date }) => local_date >= asked.from && local_date <= asked.to))
  if (before === null || after === null) {
    say(`accidents of Madrid: not measured, none ${before === null ? `of ${year} to predict from` : `from ${asked.from} to ${asked.to}`}`)
    return []
  }
  return evaluateCity(before, after, asked)
}

/** The accidents and all days from the first to the last of them; null without accidents. */
function daysOf(accidents: readonly CityAccident[]): CityDays | null {
  const [first, last] = [accidents[0]?.local_date, accidents.at(-1)?.local_date]
  if (first === undefined || last === undefined) return null
  const from = Date.parse(first) / DAY_MS
  return { accidents, days: Array.from({ length: Date.parse(last) / DAY_MS - from + 1 }, (_, at) => from + at) }
}
