import { type DownloadStep, type FeedBody, FormatError } from '../feeds/define.ts'
import { readJson } from './json.ts'

/** A page of a data set: its records, and how many the whole answer has. */
interface RecordPage {
  readonly records: readonly Readonly<Record<string, unknown>>[]
  readonly total: number
}

/**
 * Reads a page of the records API (`total_count`, `results`), or a GeoJSON export as one page, with each point as
 * `geo_point_2d`. Throws `FormatError` for anything else.
 */
export function readPage({ name, bytes }: FeedBody): RecordPage {
  const answer = readJson(bytes, name)
  const { total_count: total, results: records } = pageOf((answer ?? {}) as Answer)
  if (!Number.isSafeInteger(total) || !Array.isArray(records)) throw new FormatError(`${name} has no total_count and results`)
  if (records.some((one) => typeof one !== 'object' || one === null)) throw new FormatError(`${name} has a result that is no object`)
  return { records: records as RecordPage['records'], total: total as number }
}

/** The members of an answer that are read. */
interface Answer {
  readonly total_count?: unknown
  readonly results?: unknown
  readonly features?: unknown
}

/** A feature of an export. */
interface Feature {
  readonly properties?: object
  readonly geometry?: { readonly coordinates?: readonly unknown[] } | null
}

function pageOf(answer: Answer): Answer {
  const { features } = answer
  if (!Array.isArray(features)) return answer
  const results = (features as readonly (Feature | null)[]).map((feature) => {
    const [lon, lat] = feature?.geometry?.coordinates ?? []
    return { ...feature?.properties, geo_point_2d: lon === undefined ? null : { lon, lat } }
  })
  return { total_count: results.length, results }
}

/**
 * The next page of a request (`offset`), computed from the number of results; null after the last. Throws `FormatError` for an
 * empty page before the end.
 */
export function nextPage(page: FeedBody, url: string): DownloadStep | null {
  const { records, total } = readPage(page)
  const next = new URL(url)
  const offset = Number(next.searchParams.get('offset') ?? 0) + records.length
  if (offset >= total) return null
  if (records.length === 0) throw new FormatError(`a page without results, after ${offset} of ${total}`)
  next.searchParams.set('offset', String(offset))
  return { url: next.href }
}
