import type { PipelineStep } from '../../jobs/ingest/context.ts'

/** Where a worker is to be stopped: at the n-th time that it comes to a boundary between steps. */
export interface Halt {
  readonly at: PipelineStep | 'begin'
  /** Whether only boundaries within derivations count. */
  readonly deriving?: boolean
  readonly nth: number
  /** `fill` leaves it running, with `leave` bytes free on its disk until the end of the iteration. */
  readonly by: 'SIGKILL' | 'SIGSTOP' | 'fill'
  readonly leave?: number
}

/** What a worker process is told, as JSON in its first argument. */
export interface WorkerOrder {
  readonly folder: string
  readonly redisUrl: string
  readonly publishers: string
  readonly feeds: readonly string[]
  /** Iterations to do; more where halts are not over. Each moves the clock, fetches every feed and, every second time, lands. */
  readonly iterations: number
  /** How far each iteration moves the clock, ms; `ADVANCE_MS` unless told. */
  readonly advance_ms?: number
  /** Whether every second iteration publishes otherwise what is published then: with codes that no list has. */
  readonly corrects?: boolean
  /** Whether what is derived from the feeds' tables is brought up to date after each landing. */
  readonly derives?: boolean
  /** Whether to wait for the message `go` once all is open. */
  readonly waits?: boolean
  /** One after another, each armed when the one before is over. */
  readonly halts?: readonly Halt[]
  /** Whether the stand-in's clock goes by itself, as the machine's. */
  readonly realTime?: boolean
  /** Life of the feeds' locks, ms; without it no lock is taken. */
  readonly lock_ms?: number
}

/** What a worker tells over its channel. */
export type WorkerTold =
  /** An iteration is over; what failed in it, with the last boundary before. */
  { readonly iteration: number; readonly failures: readonly string[]; readonly halt: Halt | null }

/** Most iterations without a halt that is due. */
export const MOST_WITHOUT_HALT = 14

/** How far the stand-in's clock is moved for each iteration unless told: one Madrid publication, five of DGT. */
export const ADVANCE_MS = 300_000
