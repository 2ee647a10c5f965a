import { imdDetectorMonths, imdSections } from '../../../lake/datasets/mobility/imd.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Dataset, Row } from '../../../lake/schema/dataset.ts'
import type { MemoryAsk } from '../../kernel/endpoint.ts'
import { integerParam, knownBy, listOf, oneOf, withDefault } from '../../kernel/params/params.ts'
import { type CachedQuery, defineCachedQuery, type QueryReader } from '../../kernel/reads/cached-query.ts'

/** A section of a road in a year. */
export type ImdSection = Row<typeof imdSections>

/** Description of the source, wherever its figures appear. */
export const ABOUT_IMD =
  'IMD (intensidad media diaria) is the mean number of vehicles per day over the year, in both directions, on state roads only.'

/** Declares a cached query of the years (YYYY) that tables have, in order. */
export function yearsIn(name: string, ...from: readonly Dataset[]): CachedQuery<ReadonlySet<string>> {
  const read = async ({ versions }: QueryReader): Promise<ReadonlySet<string>> => {
    const all = await Promise.all(from.map((dataset) => versions(dataset)))
    return new Set(all.flatMap((some) => some.map((version) => version.name.slice(0, 4))).sort())
  }
  return defineCachedQuery({ name, from, read })
}

/** Years that the ministry's map has. */
export const imdYears = yearsIn('imd years', imdSections)

/** The sections of a year, by its number. */
const imdOfYear = defineCachedQuery<readonly ImdSection[]>({
  name: 'imd of a year',
  from: [imdSections],
  maxEntries: 12,
  read: async (reader, edition) => {
    const query = sql`SELECT * FROM ${scan(imdSections, { edition: { eq: edition } })} ORDER BY road, km_from, object_id`
    return await reader.all<ImdSection>(query)
  },
})

const SOURCES = ['MINISTRY', 'DETECTORS'] as const
/** The parameter `source` of daily traffic. */
export const imdSourceParam = withDefault(
  oneOf("Source of the counts: the ministry's traffic map by section, or DGT's detectors by road and province.", SOURCES, {
    example: 'MINISTRY',
  }),
  'MINISTRY',
)

/** Years that the ministry or the detectors have. */
const allYears = yearsIn('imd years of all sources', imdSections, imdDetectorMonths)

/** The parameter `year`: several years, of either source. */
export const imdYearsParam = listOf(
  knownBy(integerParam('Year; by default the newest available.', { min: 1990, max: 2200, example: '2018' }), {
    query: allYears,
    expected: 'expected a year with a traffic map or counts of detectors',
    isListed: true,
  }),
)

/** The requested years, or the newest; empty if the table is empty. */
export async function wantedYears(cached: MemoryAsk<readonly []>['cached'], asked: readonly number[] | null): Promise<readonly number[]> {
  if (asked !== null) return [...new Set(asked)]
  const newest = [...(await cached(imdYears, ''))].at(-1)
  return newest === undefined ? [] : [Number(newest)]
}

/** The sections of a year; empty for a year without a map. */
export function sectionsOf(cached: MemoryAsk<readonly []>['cached'], year: number): Promise<readonly ImdSection[]> {
  return cached(imdOfYear, String(year))
}
