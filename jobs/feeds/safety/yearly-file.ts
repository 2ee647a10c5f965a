import type { Dataset } from '../../../lake/schema/dataset.ts'
import { ckanResources } from '../../formats/ckan.ts'
import { type ArchiveFile, type DayRange, type FeedBody, type FeedSpec, FormatError } from '../define.ts'
import { mostOf } from './accident.ts'

/** Media types of accident files, beside the expected format. */
const ACCEPTS = { csv: 'text/csv', zip: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' } as const
const YEAR = /^\d{4}$/

/** What accident feeds declare about their file. */
interface AccidentFile {
  readonly into: Dataset
  /** The address of the file; for an archive, of any of its years. */
  readonly url: string
  readonly expects: keyof typeof ACCEPTS
  readonly maxBytes: number
  /** `maxBytes` by default: uncompressed text. */
  readonly maxDecodedBytes?: number
  /** Minimum rows of a year, and minimum ratio to the previous file of the year. */
  readonly atLeast: number
  readonly minRatio: number
}

/** Common properties of accident feeds: a single file, checked once a week, whose growth is unlimited. */
export function accidentFile(file: AccidentFile): Pick<FeedSpec, 'into' | 'every_s' | 'get' | 'freshBy' | 'bands'> {
  const { into, url, expects, maxBytes, maxDecodedBytes = maxBytes, atLeast, minRatio } = file
  const timeout_ms = maxBytes > 100_000_000 ? 300_000 : 120_000
  return {
    into: [into],
    every_s: 7 * 86_400,
    get: { name: 'accidents', url, accept: ACCEPTS[expects], maxBytes, maxDecodedBytes, timeout_ms, expects },
    freshBy: 'fetch',
    bands: { [into.id]: { atLeast, minRatio, maxRatio: 1000 } },
  }
}

/** Years of an archive checked each week: those of black spots, which use three years, the newest growing every month. */
export const RECENT_YEARS = 3

/**
 * The files of years in answers to `package_show`: those whose address matches. The year comes from a group of the pattern,
 * else from the list. Of several files of a year, the last by `prefers` counts.
 */
export function listedYears(
  index: readonly FeedBody[],
  wanted: { readonly path: RegExp; readonly first: number; readonly prefers: (url: string) => number },
): ArchiveFile[] {
  const found = index.flatMap(({ bytes }) =>
    ckanResources(bytes).flatMap(({ name, description, url }): ArchiveFile[] => {
      if (typeof url !== 'string' || !URL.canParse(url)) return []
      const match = wanted.path.exec(new URL(url).pathname)
      if (!match) return []
      const period = match.slice(1).find((year) => year !== undefined) ?? yearIn(name) ?? yearIn(description)
      return period === null || Number(period) < wanted.first ? [] : [{ period, url }]
    }),
  )
  return found.sort((one, other) => wanted.prefers(one.url) - wanted.prefers(other.url))
}

/** The only year in a text; null if there is none or several. */
function yearIn(text: unknown): string | null {
  const years = new Set(typeof text === 'string' ? text.match(/(?<!\d)20\d\d(?!\d)/g) : [])
  return years.size === 1 ? ([...years][0] as string) : null
}

/** The years of a range, from the first that a publisher has. */
export function yearsIn({ from, to }: DayRange, first: number): number[] {
  const [begin, end] = [Math.max(first, Number(from.slice(0, 4))), Number(to.slice(0, 4))]
  return Array.from({ length: Math.max(0, end - begin + 1) }, (_, at) => begin + at)
}

/**
 * The edition of a file: the requested year (the body's name), else the year of most of its accidents. Throws `FormatError` if
 * these differ: a file under another's address would replace it.
 */
export function editionOf(prefix: string, { name }: Pick<FeedBody, 'name'>, years: Iterable<number>): string {
  const year = mostOf(years)
  if (YEAR.test(name) && year !== null && Number(name) !== year) throw new FormatError(`the file of ${name} has accidents of ${year}`)
  return `${prefix}-${YEAR.test(name) ? name : year}`
}
