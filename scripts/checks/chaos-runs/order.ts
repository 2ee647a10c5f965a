import type { PipelineStep } from '../../../jobs/ingest/context.ts'
import type { S3Options } from '../../../lake/store/s3-client.ts'

/** Where a worker is stopped: at the n-th visit of a boundary between steps. */
export interface Halt {
  readonly at: PipelineStep | 'begin'
  /** Whether only boundaries within derivations count. */
  readonly deriving?: boolean
  readonly nth: number
  /** `fill` leaves it running, with `leave` bytes free on its disk until the end of the iteration. */
  readonly by: 'SIGKILL' | 'SIGSTOP' | 'fill'
  readonly leave?: number
}

/** The order of a worker process, as JSON in its first argument. */
export interface WorkerOrder {
  readonly folder: string
  /** The store, if it is not in the folder. */
  readonly s3?: S3Options
  readonly redisUrl: string
  readonly publishers: string
  readonly feeds: readonly string[]
  /** Iterations to do; more if halts are left. Each moves the clock, fetches every feed and, every second time, lands. */
  readonly iterations: number
  /** Pause after each iteration, ms; none by default. */
  readonly rest_ms?: number
  /** How far each iteration moves the clock, ms; `ADVANCE_MS` by default. */
  readonly advance_ms?: number
  /** Whether every second iteration publishes corrected data: with codes that no list contains. */
  readonly corrects?: boolean
  /** Whether each landing is followed by the derivation of the feeds' derived tables. */
  readonly derives?: boolean
  /** Whether to wait for the message `go` once everything is open. */
  readonly waits?: boolean
  /** One after another: each is armed when the previous one is over. */
  readonly halts?: readonly Halt[]
  /** Whether the stand-in's clock runs by itself, like the machine's. */
  readonly realTime?: boolean
  /** Time to live of the feeds' locks, ms; without it no lock is taken. */
  readonly lock_ms?: number
}

/** The order of a process that does one of `TASKS`, as JSON in its first argument. */
export interface TaskOrder {
  readonly task: string
  readonly folder: string
  readonly redisUrl: string
  readonly publishers: string
  /** Commit of the code, which models state. */
  readonly commit: string | null
  /** The boundary between steps at which it kills itself, and at which visit of it (1 is the first); null if it is not killed. */
  readonly halt: { readonly at: string; readonly nth: number } | null
}

/** The messages of a worker over its channel. */
export type WorkerReport =
  /** A finished iteration: its failures, and the last boundary before them. */
  { readonly iteration: number; readonly failures: readonly string[]; readonly halt: Halt | null }

/** Most iterations without a halt that is due. */
export const MOST_WITHOUT_HALT = 14

/** Default time by which each iteration moves the stand-in's clock: one publication of Madrid, five of DGT. */
export const ADVANCE_MS = 300_000
