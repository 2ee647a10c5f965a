import type { LiveSnapshot } from '../../../lake/live/read.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { State } from '../../kernel/endpoint.ts'
import type { ServiceState } from '../state/state.ts'
import type { Refresh } from './response-plan.ts'

const EMPTY: State = Object.freeze({ rows: [], parts: [] })
/** Polling interval in seconds if no feed states a cadence. */
export const CADENCE_S = 60

/** The states of datasets and their versions. A dataset that was never published has a state without rows. */
export interface CurrentStates {
  readonly states: readonly State[]
  /** The state of the first dataset. */
  readonly primary: LiveSnapshot | null
  readonly datasets: readonly Dataset[]
  readonly of: readonly (string | number | null)[]
  /** When one of them last changed, ms since the epoch; 0 if none was ever published. */
  readonly changed_at: number
}

/** Returns the current states of datasets. A dataset that was never published, or one of `without`, has no rows. */
export function currentStates(state: ServiceState, datasets: readonly Dataset[], without: readonly Dataset[] = []): CurrentStates {
  const snapshots = datasets.map((dataset) => (without.includes(dataset) ? null : state.snapshot(dataset)))
  const of = snapshots.flatMap((snapshot) => (snapshot ? [snapshot.version, ...snapshot.parts.map((part) => part.fetch_id)] : [null]))
  // With one part, the data time shows its changes. With several, an older publication may come after a newer one.
  const parts = snapshots.flatMap((snapshot) => snapshot?.parts ?? [])
  const [only] = parts
  const changed_at = only && parts.length === 1 ? only.data_time : Math.max(0, ...parts.map((part) => part.fetched_at))
  const states = snapshots.map((snapshot) => (snapshot as State | null) ?? EMPTY)
  return { states, primary: snapshots[0] ?? null, datasets, of, changed_at }
}

/** Returns when a new publication is expected: one cadence after the feeds' last answer, even an unchanged one. */
export function refreshOf(state: ServiceState, datasets: readonly Dataset[], primary: LiveSnapshot): Refresh {
  const cadence_s = state.cadence_s(datasets[0] as Dataset) ?? CADENCE_S
  const at = (): number => {
    const feeds = state.live.feedStates()
    const asked = primary.parts.map(({ feed, fetched_at }) => Math.max(fetched_at, feeds.get(feed)?.last_success_at ?? 0))
    return Math.max(...asked) + 1000 * cadence_s
  }
  return { at, cadence_s }
}
