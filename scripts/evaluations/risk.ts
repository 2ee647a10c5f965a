import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Feed, FormatError } from '../../jobs/feeds/define.ts'
import { dgtAnimalAccidents } from '../../jobs/feeds/safety/dgt-animal-accidents.ts'
import { madridAccidents } from '../../jobs/feeds/safety/madrid-accidents.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import { animalAccidents } from '../../lake/datasets/safety/animal-accidents.ts'
import { roadAccidents } from '../../lake/datasets/safety/road-accidents.ts'
import type { Lake } from '../../lake/open.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Figure, Window } from '../../models/figures.ts'
import type { SectionAccident } from '../../models/risk/accidents.ts'
import { type CityDays, evaluateCity } from '../../models/risk/city.ts'
import { evaluateSections } from '../../models/risk/evaluate.ts'
import {
  CITY_ACCIDENT_COLUMNS,
  type CityAccident,
  cityAccidents,
  SECTION_ACCIDENT_COLUMNS,
  sectionAccidents,
} from '../../models/risk/rows.sql.ts'
import { landRows } from '../scratch/lake.ts'

const MOST_ROWS = 1_000_000
const DAY_MS = 86_400_000
/** What is read of a folder of captures: the files of the layouts of a feed. */
const FOLDERS = [
  { folder: 'dgt-accidentes', file: /^ACC_ANIMALES.*\.csv(\.gz)?$/i, feed: dgtAnimalAccidents, into: animalAccidents },
  { folder: 'madrid-accidentes', file: /^\d{4}.*accidentalidad.*\.(csv(\.gz)?|xlsx)$/i, feed: madridAccidents, into: roadAccidents },
] as const

type Given = { readonly data: string; readonly window: Window | null; readonly say: (line: string) => void }

/**
 * Reads the accidents of a folder by their feeds into a lake, and measures the risk model on what its tables then have: of sections by the accidents
 * with animals, and of Madrid's districts. What a folder has no files of is told to `say` and not measured; throws where it has neither.
 */
export async function evaluateRisk(lake: Lake, { data, window, say }: Given): Promise<Figure[]> {
  const landed: Dataset[] = []
  for (const { folder, file, feed, into } of FOLDERS)
    if (await land(lake, { folder: join(data, folder), file, feed, into, say })) landed.push(into)
    else say(`${folder}: no file of accidents; left out`)
  if (landed.length === 0) throw new Error(`${data}: no file of accidents`)
  const sections = landed.includes(animalAccidents)
    ? await lake.query(sectionAccidents(), { columns: SECTION_ACCIDENT_COLUMNS, maxRows: MOST_ROWS })
    : []
  const city = landed.includes(roadAccidents)
    ? await lake.query(cityAccidents('madrid'), { columns: CITY_ACCIDENT_COLUMNS, maxRows: MOST_ROWS })
    : []
  return [
    ...(sections.length === 0 ? [] : evaluateSections(sections as unknown as readonly SectionAccident[], window)),
    ...cityFigures(city as unknown as readonly CityAccident[], window, say),
  ]
}

async function land(
  lake: Lake,
  of: { readonly folder: string; readonly file: RegExp; readonly feed: Feed; readonly into: Dataset; readonly say: Given['say'] },
): Promise<boolean> {
  /** Rows by edition: of a version that comes twice the later file counts, as it does when it lands. */
  const editions = new Map<unknown, AnyRow[]>()
  const names = existsSync(of.folder) ? readdirSync(of.folder).filter((name) => of.file.test(name)) : []
  for (const name of names.sort()) {
    const read = readFileSync(join(of.folder, name))
    const bytes = name.endsWith('.gz') ? gunzipSync(read) : read
    try {
      const { rows } = await parsePublication(of.feed, [{ name, bytes }], Date.now(), { keeps: () => true })
      for (const [edition, theirs] of Map.groupBy(rows.get(of.into.id) ?? [], (row) => row['edition'])) editions.set(edition, theirs)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      of.say(`${name}: left out, ${error.message}`)
    }
  }
  const rows = [...editions.values()].flat().map((row) => ({ ...row, fetch_id: `${of.feed.id}.1` }))
  if (rows.length > 0) await landRows(lake, of.into, rows)
  return rows.length > 0
}

/** The days of the window, or those of the newest year, foretold from those of the year before. */
function cityFigures(accidents: readonly CityAccident[], window: Window | null, say: Given['say']): Figure[] {
  const last = accidents.at(-1)?.local_date
  if (last === undefined) return []
  const asked = window ?? { from: `${last.slice(0, 4)}-01-01`, to: last }
  const year = String(Number(asked.from.slice(0, 4)) - 1)
  const before = daysOf(accidents.filter(({ local_date }) => local_date.startsWith(year)))
  const after = daysOf(accidents.filter(({ local_date }) => local_date >= asked.from && local_date <= asked.to))
  if (before === null || after === null) {
    say(`Madrid: no accidents of ${before === null ? year : `${asked.from} to ${asked.to}`}; not measured`)
    return []
  }
  return evaluateCity(before, after, asked)
}

/** The accidents and all days from the first to the last of them; null where there is none. */
function daysOf(accidents: readonly CityAccident[]): CityDays | null {
  const [first, last] = [accidents[0]?.local_date, accidents.at(-1)?.local_date]
  if (first === undefined || last === undefined) return null
  const from = Date.parse(first) / DAY_MS
  return { accidents, days: Array.from({ length: Date.parse(last) / DAY_MS - from + 1 }, (_, at) => from + at) }
}
