import { gunzipSync } from 'node:zlib'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { type Feed, type FeedBody, type FeedRequest, FormatError } from '../feeds/define.ts'
import { isBzip2, unpackBzip2 } from '../formats/bzip2.ts'
import { type Report, warningLines } from './diagnostics.ts'
import { judge } from './guard.ts'
import { FetchError, sniff } from './http.ts'
import { type Publication, parsePublication } from './parse.ts'

/** The output of `scripts/feeds try`: the verdict on given bytes, without an earlier state. */
export interface Trial {
  readonly feed: string
  readonly accepted: boolean
  readonly reason?: string
  readonly datasets: Readonly<Record<string, TrialCounts>>
  readonly warnings: readonly string[]
}

/** Counts of one dataset in a trial. */
export interface TrialCounts {
  readonly rows: number
  readonly quarantined: Readonly<Record<string, number>>
  readonly unknown_codes: Readonly<Record<string, Readonly<Record<string, number>>>>
}

const BRACE = '{'.charCodeAt(0)

/** Runs a feed's guard, parser and checks on bytes; needs neither Redis nor lake and lands nothing. Decompresses files. */
export async function tryFeed(
  feed: Feed,
  given: {
    readonly files: readonly { readonly name: string; readonly bytes: Buffer }[]
    readonly at: number
    /** The dataset whose rows to return; none by default. */
    readonly rowsOf?: Dataset | null
  },
): Promise<{ trial: Trial; rows: readonly AnyRow[] }> {
  try {
    const bodies = await bodiesOf(feed, given.files)
    const { isAbsent } = feed.archive ?? {}
    if (isAbsent && bodies.every(isAbsent)) return { trial: refusedTrial(feed, 'the publisher says that it has no such file'), rows: [] }
    const publication = await parsePublication(feed, bodies, given.at, { keeps: (dataset) => dataset === given.rowsOf })
    const verdict = judge(feed, publication, null)
    const missing = verdict.kind === 'unchanged' ? {} : verdict.missing
    const flags = Object.entries(missing).map(
      ([dataset, blocks]) => `${dataset}: block ${blocks.join(', ')} is missing from this publication`,
    )
    const trial = {
      feed: feed.id,
      accepted: verdict.kind === 'accept',
      ...(verdict.kind === 'accept' ? {} : { reason: verdict.reason }),
      datasets: countsOf(feed, publication),
      warnings: [...flags, ...warningLines(publication.report)],
    }
    return { trial, rows: publication.rows.get(given.rowsOf?.id ?? '') ?? [] }
  } catch (error) {
    if (!(error instanceof FormatError) && !(error instanceof FetchError)) throw error
    return { trial: refusedTrial(feed, error.message), rows: [] }
  }
}

function refusedTrial(feed: Feed, reason: string): Trial {
  return { feed: feed.id, accepted: false, reason, datasets: {}, warnings: [] }
}

/**
 * Maps files to the bodies of the first plan that has a request for each and expects such bytes. If no plan fits, files keep
 * their names and count as what the first request of the first plan expects.
 */
async function bodiesOf(feed: Feed, files: readonly { readonly name: string; readonly bytes: Buffer }[]): Promise<readonly FeedBody[]> {
  if (feed.stream) return files
  // What an import stores is no file of the publisher.
  if (feed.importedBy !== undefined && files.every(({ bytes }) => bytes[0] === BRACE)) return files
  const plans = feed.plans.filter(({ requests }) => requests.length === files.length)
  const first = feed.plans[0]?.requests[0] as FeedRequest
  if (plans.length === 0) return Promise.all(files.map((file) => bodyOf({ ...first, name: file.name }, file)))
  const reasons: string[] = []
  for (const { requests } of plans) {
    try {
      return await Promise.all(requests.map((request, at) => bodyOf(request, files[at] as (typeof files)[number])))
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      reasons.push(error.message)
    }
  }
  throw new FormatError(reasons.join('; '))
}

async function bodyOf(request: FeedRequest, { name, bytes }: { readonly name: string; readonly bytes: Buffer }): Promise<FeedBody> {
  const plain = unpacked(name, bytes, request)
  await sniff(request, plain)
  return { name: request.name, bytes: plain }
}

function unpacked(name: string, bytes: Buffer, { packed, maxDecodedBytes }: FeedRequest): Buffer {
  if (packed === 'bzip2' && isBzip2(bytes)) return unpackBzip2(bytes, maxDecodedBytes)
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? unpack(name, bytes, maxDecodedBytes) : bytes
}

function unpack(name: string, bytes: Buffer, most: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: most })
  } catch (cause) {
    throw new FormatError(`${name} is no whole gzip file: ${(cause as Error).message}`, { cause })
  }
}

function countsOf(feed: Feed, publication: Publication): Record<string, TrialCounts> {
  const counts: Record<string, TrialCounts> = {}
  for (const { id, columns } of feed.into) {
    const lists = new Set(Object.values(columns).flatMap(({ codes }) => (codes ? [codes.id] : [])))
    counts[id] = {
      rows: publication.counts.get(id) ?? 0,
      quarantined: publication.report.quarantined[id] ?? {},
      unknown_codes: unknownCodes(publication.report, (list) => lists.has(list) || !listedElsewhere(feed, list)),
    }
  }
  return counts
}

/** A code list that no dataset of the feed names is the source's own; each dataset of the feed shows its unknown codes. */
function listedElsewhere(feed: Feed, list: string): boolean {
  return feed.into.some(({ columns }) => Object.values(columns).some(({ codes }) => codes?.id === list))
}

function unknownCodes(report: Report, belongs: (list: string) => boolean): Record<string, Record<string, number>> {
  return Object.fromEntries(Object.entries(report.unknownCodes).filter(([list]) => belongs(list)))
}
