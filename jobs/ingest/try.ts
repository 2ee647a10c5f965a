import { gunzipSync } from 'node:zlib'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { type Feed, type FeedBody, FormatError } from '../feeds/define.ts'
import { judge } from './guard.ts'
import { FetchError, sniff } from './http.ts'
import { type Report, warningLines } from './notes.ts'
import { type Publication, parsePublication } from './parse.ts'

/** What `scripts/feeds try` prints: the verdict on given bytes, with no earlier state. */
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

/** Runs guard, parse and checks of a feed on bytes; needs neither Redis nor lake and lands nothing. Gzipped files are unpacked. */
export async function tryFeed(
  feed: Feed,
  given: {
    readonly files: readonly { readonly name: string; readonly bytes: Buffer }[]
    readonly at: number
    /** The dataset whose rows are asked for; none unless told. */
    readonly rowsOf?: Dataset | null
  },
): Promise<{ trial: Trial; rows: readonly AnyRow[] }> {
  const plan = feed.plans.find(({ requests }) => requests.length === given.files.length) ?? feed.plans[0]
  try {
    const bodies: FeedBody[] = []
    for (const [index, { name, bytes }] of given.files.entries()) {
      const request = plan?.requests.length === given.files.length ? plan.requests[index] : undefined
      const first = request ?? feed.plans[0]?.requests[0]
      const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? unpack(name, bytes, first?.maxDecodedBytes) : bytes
      if (first) await sniff(first, plain)
      bodies.push({ name: request?.name ?? name, bytes: plain })
    }
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
    return { trial: { feed: feed.id, accepted: false, reason: error.message, datasets: {}, warnings: [] }, rows: [] }
  }
}

function unpack(name: string, bytes: Buffer, most: number | undefined): Buffer {
  try {
    return gunzipSync(bytes, most === undefined ? {} : { maxOutputLength: most })
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

/** A list that no dataset of the feed names is the source's own; every dataset of the feed shows its unknown codes. */
function listedElsewhere(feed: Feed, list: string): boolean {
  return feed.into.some(({ columns }) => Object.values(columns).some(({ codes }) => codes?.id === list))
}

function unknownCodes(report: Report, belongs: (list: string) => boolean): Record<string, Record<string, number>> {
  return Object.fromEntries(Object.entries(report.unknownCodes).filter(([list]) => belongs(list)))
}
