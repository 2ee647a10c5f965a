import { nearestSnapshot } from '../../../lake/iceberg/retention.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import { coverageOf, isFirstInMaking } from '../../../lake/landed.ts'
import type { FeedListing } from '../../../lake/live/freshness.ts'
import type { Lake, SnapshotPins } from '../../../lake/open.ts'
import { isQueryError } from '../../../lake/query/errors.ts'
import { type RowSpan, rowSpanOf, spanOfBoth } from '../../../lake/query/row-span.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { InvalidParam, type Problem, problem } from '../../kernel/problems.ts'
import type { RowsOf } from '../../kernel/reads/lake-view.ts'
import type { Cursors } from './cursor.ts'

/** The state of the lake that an answer reads. */
export interface LakeState {
  readonly pins: SnapshotPins
  /** Names the state, for `meta.snapshot`, `?snapshot=` and cursors; empty before the first row has landed. */
  readonly name: string
  /**
   * Time up to which the first dataset has the publications of all its feeds, in ms; null before the first. If its feeds are all
   * disabled and it has no data, the next dataset with data counts.
   */
  readonly covered_until: number | null
  /** Earliest time of its rows, or of the rows of a coverage dataset, in ms; null without rows. */
  readonly covered_from: number | null
  /** Latest time of these rows, in ms: earlier than `covered_until` if publications are late. */
  readonly latest_row_at: number | null
  /** Newest data time in it, in ms; null if empty. With several feeds, it may be later than `covered_until`. */
  readonly newest: number | null
  /** When one of the tables last changed, ms since the epoch; null if there is none. */
  readonly changed_at: number | null
  /** Enabled feeds that have not landed in the first dataset yet; none for a named state. */
  readonly awaited: readonly string[]
}

/**
 * One dataset in a name: id, snapshot id, covered until and newest (ms). Names are stamped: their values come from the tables.
 */
const PART = /^([a-z0-9_]{1,60})\.(\d{1,20})\.(\d{1,15})-(\d{1,15})$/
const EXPECTED = 'expected a snapshot as meta.snapshot named it'

/**
 * Finds the newest state of datasets, or the one that `name` names. Throws `InvalidParam` for a forged name, and the problem
 * `snapshot-expired`. The earliest rows of `begins` count too; `rowsOf` limits the rows that count. The covered time is in the
 * signed name, as it advances without a new snapshot.
 */
export async function lakeState(
  { lake, cursors, feeds }: { readonly lake: Lake; readonly cursors: Cursors; readonly feeds: readonly FeedListing[] },
  datasets: readonly Dataset[],
  options: {
    readonly name: string | null
    readonly begins?: readonly Dataset[] | undefined
    readonly rowsOf?: readonly RowsOf[] | null | undefined
  },
): Promise<LakeState> {
  const { name, begins = [] } = options
  const named = name ? readName(cursors.stamped(name) ?? '', datasets) : new Map<string, Named>()
  const pins = new Map<string, TableState | null>()
  const parts: string[] = []
  // If all its feeds are disabled, a dataset may never get data; the answer then uses the others. A dataset without feeds is
  // derived, and will come.
  const filledBy = feeds.filter((feed) => feed.datasets.includes(datasets[0]?.id ?? ''))
  const isOff = filledBy.length > 0 && !filledBy.some((feed) => feed.enabled)
  let covered_until: number | null = null
  let span: RowSpan | null = null
  let newest: number | null = null
  let changed_at: number | null = null
  let awaited: readonly string[] = []
  for (const [at, dataset] of datasets.entries()) {
    const asked = named.get(dataset.id)
    const found = await lake.snapshot(dataset, asked?.id).catch(async (error: unknown) => {
      if (!isQueryError(error, 'no-snapshot')) throw error
      throw snapshotExpired('snapshot', await nearestName({ lake, cursors, feeds }, datasets, named))
    })
    // A first build that is unfinished counts as nothing. A named snapshot was complete when its name was issued.
    const snapshot = found && (asked || !isFirstInMaking(found.state.properties)) ? found : null
    pins.set(dataset.id, snapshot?.state ?? null)
    if (!snapshot) continue
    const landed = coverageOf(dataset.id, snapshot.covered_until, feeds)
    const isLacking = ({ id, enabled, on_demand }: FeedListing): boolean =>
      enabled && !on_demand && snapshot.covered_until[id] === undefined
    if (at === 0 && !asked) awaited = filledBy.filter(isLacking).map(({ id }) => id)
    const { until, end } = asked ?? { until: Math.floor(landed.until ?? 0), end: Math.floor(landed.newest ?? 0) }
    // A publication without rows also lands, and creates no snapshot.
    const isStated = at === 0 || (covered_until === null && isOff)
    if (isStated && (snapshot.snapshotId || landed.until !== null)) {
      covered_until = until
      newest = end
    }
    const filter = options.rowsOf?.find((rows) => rows.dataset === dataset)?.filter
    if (options.rowsOf ? filter : isStated || begins.includes(dataset))
      span = spanOfBoth(span, await rowSpanOf(snapshot.state, dataset, filter))
    if (!snapshot.snapshotId) continue
    changed_at = Math.max(changed_at ?? 0, asked ? snapshot.updated_at : snapshot.state.metadata['last-updated-ms'])
    parts.push(`${dataset.id}.${snapshot.snapshotId}.${until}-${end}`)
  }
  const stamped = parts.length === 0 ? '' : cursors.stamp(parts.join(','))
  const [covered_from, latest_row_at] = span ? [Math.floor(span.first), Math.floor(span.last)] : [null, null]
  return { pins, name: stamped, covered_from, latest_row_at, covered_until, newest, changed_at, awaited }
}

interface Named {
  readonly id: bigint
  readonly until: number
  readonly end: number
}

function readName(name: string, datasets: readonly Dataset[]): Map<string, Named> {
  const known = new Map<string, Named>()
  for (const part of name.split(',')) {
    const [, id = '', snapshot = '', until = '', end = ''] = PART.exec(part) ?? []
    if (!datasets.some((dataset) => dataset.id === id)) throw new InvalidParam(EXPECTED, { parameter: 'snapshot' })
    known.set(id, { id: BigInt(snapshot), until: Number(until), end: Number(end) })
  }
  return known
}

/** Returns the problem of an expired snapshot. `nearest` names a replacement; null if no snapshot is kept. */
export function snapshotExpired(parameter: string, nearest: string | null): Problem {
  const detail = `${parameter}: the lake no longer keeps this snapshot: all are kept for 24 hours, then the last of each hour for 7 days`
  return problem('snapshot-expired', detail, { errors: [{ parameter, detail }], extensions: { nearest_snapshot: nearest } })
}

/** Returns the name of the kept states nearest to the named ones; null if a table has none. */
async function nearestName(
  { lake, cursors, feeds }: { readonly lake: Lake; readonly cursors: Cursors; readonly feeds: readonly FeedListing[] },
  datasets: readonly Dataset[],
  named: ReadonlyMap<string, Named>,
): Promise<string | null> {
  const parts: string[] = []
  for (const dataset of datasets) {
    const asked = named.get(dataset.id)
    if (!asked) continue
    const state = await lake.table(dataset).load()
    const kept = state?.metadata.snapshots.find((snapshot) => BigInt(snapshot['snapshot-id']) === asked.id)
    const nearest = kept ?? (state && nearestSnapshot(state.metadata, asked.id))
    if (!nearest) return null
    const found = kept ? null : await lake.snapshot(dataset, BigInt(nearest['snapshot-id']))
    const landed = found && coverageOf(dataset.id, found.covered_until, feeds)
    const { until, end } = landed ? { until: Math.floor(landed.until ?? 0), end: Math.floor(landed.newest ?? 0) } : asked
    parts.push(`${dataset.id}.${nearest['snapshot-id']}.${until}-${end}`)
  }
  return parts.length === 0 ? null : cursors.stamp(parts.join(','))
}
