import type { LiveSnapshot } from '../../lake/live/read.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { ListReturn, LiveRead, State } from '../define/endpoint.ts'
import { type Format, isTable } from '../define/formats.ts'
import { type Problem, problem } from '../define/problems.ts'
import type { JsonObject } from '../define/shape.ts'
import { type AnswerContext, type Answerer, type Body, headOf, nextLink, type Refresh } from './answer.ts'
import { type Meta, metaOf } from './compose.ts'
import { type Order, orderOf, pageOf, readPosition, sorted } from './paging.ts'
import { listBody, type RecordTexts, recordTexts } from './records.ts'
import type { RequestValues } from './request.ts'
import type { ServiceState } from './state.ts'

const EMPTY: State = Object.freeze({ rows: [], parts: [] })
/** Seconds between two looks where no feed states a cadence. */
export const CADENCE_S = 60
const CURSOR_HOURS = 24

/** Answers lists of the current state. */
export function liveAnswerer(context: AnswerContext): Answerer {
  const { endpoint, state } = context
  const read = endpoint.read as unknown as LiveRead<unknown, readonly Dataset[], AnyRow, AnyRow>
  const texts = recordTexts(endpoint.returns)
  const returns = endpoint.returns as ListReturn
  const recordsOf = perVersion((states: readonly State[]) => new Sorted(read.records(states as never)))
  return (values, { format, now }) => {
    const { states, primary, ...versions } = statesOf(state, read.from)
    const head = headOf(context, values, {
      format,
      now,
      versions,
      data_time: primary.updated_at,
      refresh: refreshOf(state, read.from, primary),
    })
    const answer = async (signal: AbortSignal): Promise<Body> => {
      const meta = metaOf(state, read.from, endpoint.figure ? { figure: endpoint.figure } : {})
      // What is picked of records in order is mostly in order, so that sorting it costs little.
      const all = await recordsOf(states).inOrder(orderOf(returns, values.page.sort))
      const picked = chosen(read.pick(all, values.own, steppedNow(head.clock_s, now)), context, values)
      return pageBody(context, values, { texts, all: picked, format, now, updated_at: primary.updated_at, meta, signal })
    }
    return { head, answer, isCheap: true }
  }
}

/** The states of datasets and the versions they are of; of one that was never published a state without rows. */
export interface CurrentStates<L extends LiveSnapshot | null = LiveSnapshot | null> {
  readonly states: readonly State[]
  /** The state of the first. */
  readonly primary: L
  readonly datasets: readonly Dataset[]
  readonly of: readonly (string | number | null)[]
  /** When one of them last changed, ms since the epoch; 0 where none was ever published. */
  readonly changed_at: number
}

/** The current states of datasets, be the first among them or not. */
export function currentStates(state: ServiceState, datasets: readonly Dataset[]): CurrentStates {
  const snapshots = datasets.map((dataset) => state.snapshot(dataset))
  const of = snapshots.flatMap((snapshot) => (snapshot ? [snapshot.version, ...snapshot.parts.map((part) => part.fetch_id)] : [null]))
  // The time of the data tells changes of one part; where there are several, an older one may come after a newer one.
  const parts = snapshots.flatMap((snapshot) => snapshot?.parts ?? [])
  const [only] = parts
  const changed_at = only && parts.length === 1 ? only.data_time : Math.max(0, ...parts.map((part) => part.fetched_at))
  const states = snapshots.map((snapshot) => (snapshot as State | null) ?? EMPTY)
  return { states, primary: snapshots[0] ?? null, datasets, of, changed_at }
}

/** The same; throws `feed-unavailable` where the first has never been published. */
export function statesOf(state: ServiceState, datasets: readonly Dataset[]): CurrentStates<LiveSnapshot> {
  const { states, primary, of, changed_at } = currentStates(state, datasets)
  if (!primary) throw neverPublished(datasets[0])
  return { states, primary, datasets, of, changed_at }
}

/** The problem of a dataset that no feed has ever delivered. */
export function neverPublished(dataset: Dataset | undefined): Problem {
  return problem('feed-unavailable', `No data of ${dataset?.title} has arrived yet.`, { retry_after_s: 30 })
}

/** When a dataset is expected to be published anew: a cadence after its feeds were last asked and had an answer, be it nothing new. */
export function refreshOf(state: ServiceState, datasets: readonly Dataset[], primary: LiveSnapshot): Refresh {
  const cadence_s = state.cadence_s(datasets[0] as Dataset) ?? CADENCE_S
  const at = (): number => {
    const feeds = state.live.feedStates()
    const asked = primary.parts.map(({ feed, fetched_at }) => Math.max(fetched_at, feeds.get(feed)?.last_success_at ?? 0))
    return Math.max(...asked) + 1000 * cadence_s
  }
  return { at, cadence_s }
}

/** One page of records, in any representation. */
export async function pageBody(
  context: AnswerContext,
  values: RequestValues,
  parts: {
    readonly texts: RecordTexts
    readonly all: readonly AnyRow[]
    /** Makes the records of the page, where `all` is what they are made of. */
    readonly finish?: ((draft: never) => AnyRow) | undefined
    /** Members beside the list, see `ListReturn.counts`. */
    readonly counts?: JsonObject
    readonly format: Format
    readonly now: number
    readonly updated_at: number
    readonly meta: Meta
    readonly signal: AbortSignal
  },
): Promise<Body> {
  const { texts, all, finish, counts = {}, format, now, updated_at, meta, signal } = parts
  const { endpoint, cursors } = context
  const { page } = values
  const returns = endpoint.returns as ListReturn
  const order = orderOf(returns, page.sort)
  const bind = `${endpoint.path} ${values.filterKey}`
  const after = page.cursor === null ? null : readPosition(cursors.open(page.cursor, { bind, now }))
  const { records: shown, end } = await pageOf(all, { order, after, limit: page.limit })
  const records = finish ? shown.map((draft) => finish(draft as never)) : shown
  const next_cursor = end && cursors.seal(end, { bind, now, hours: CURSOR_HOURS })
  const list = { name: returns.name, total: all.length, updated_at, next_cursor, extra: counts, meta }
  const links = next_cursor === null ? [] : [nextLink(values.path, values.query, next_cursor)]
  if (!isTable(format)) return { pieces: await listBody(list, records, { texts, page, format }), links }
  const ask = { record: returns.record, page, format, signal }
  return { pieces: [], file: await context.tables.write(ask, [records], { meta, about: () => list }), links }
}

/** The records that `ids` and `updated_since` leave. */
export function chosen(records: readonly AnyRow[], context: AnswerContext, { page }: RequestValues): readonly AnyRow[] {
  const { id } = context.endpoint.returns as ListReturn
  const ids = page.ids && new Set(page.ids)
  const since = page.updated_since
  if (!ids && since === null) return records
  return records.filter(
    (record) => (!ids || ids.has(record[id as string] as string)) && (since === null || (record['updated_at'] as number) >= since),
  )
}

/** Records, and their orders that were asked for so far: as many as the endpoint has sorts. */
class Sorted {
  readonly #records: readonly AnyRow[]
  readonly #orders = new Map<string, Promise<readonly AnyRow[]>>()

  constructor(records: readonly AnyRow[]) {
    this.#records = records
  }

  /** The records in an order; as they are where what they are sorted by is only known once they are picked. */
  async inOrder(order: Order): Promise<readonly AnyRow[]> {
    const [first] = this.#records
    if (!first || order.some(({ field }) => !(field in first))) return this.#records
    const name = JSON.stringify(order.map(({ field, falling }) => [field, falling]))
    const made = this.#orders.get(name) ?? sorted(this.#records, order)
    this.#orders.set(name, made)
    return await made
  }
}

/** What is made of states, remembered until one of them changes. */
function perVersion<T>(make: (states: readonly State[]) => T): (states: readonly State[]) => T {
  let last: { readonly states: readonly State[]; readonly made: T } | null = null
  return (states) => {
    if (last && last.states.every((state, at) => state === states[at])) return last.made
    last = { states, made: make(states) }
    return last.made
  }
}

/** The clock as an answer may see it: the begin of its step; 0 where it may not see it at all. */
export function steppedNow(clock_s: number, now: number): number {
  return clock_s === 0 ? 0 : Math.floor(now / (clock_s * 1000)) * clock_s * 1000
}
