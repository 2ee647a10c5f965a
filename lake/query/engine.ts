import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { isAlive } from '../process-mark.ts'
import { QueryError, type QueryFailure } from './errors.ts'
import { BucketSecret, type HttpfsAccess, loadHttpfs } from './httpfs.ts'
import { quoteText } from './literal.ts'
import { standBack } from './priority.ts'
import { type Relations, Session } from './session.ts'
import { Slots } from './slots.ts'

/** What an engine may use and touch. */
export interface EngineOptions {
  /** Folders and `s3://…` prefixes that queries may read (and the process's own statements write); nothing else is reachable. */
  readonly folders: readonly string[]
  /** Folder for scratch files and for what DuckDB spills; each engine makes one of its own in it. */
  readonly spool: string
  /** Bytes of memory and of disk that DuckDB may take, and its threads. */
  readonly memory: number
  readonly spill: number
  readonly threads: number
  /** Queries that run at once, and how many more may wait. */
  readonly slots: number
  readonly queue: number
  /** True where replies that need no query come first: its threads get what the others leave (see `standBack`). */
  readonly standBack?: boolean
  /** Range reads of an S3 lake; null or absent for none. */
  readonly httpfs?: HttpfsAccess | null
  /** Told of each piece of work once it has ended, or was refused. */
  readonly onQuery?: (told: QueryTold) => void
}

/** How a piece of work in a session went. */
export interface QueryTold {
  /** What ended it: `done` where nothing stopped it, whether its statements failed or not. */
  readonly outcome: 'done' | QueryFailure
  /** Time that it waited for a slot, in ms. */
  readonly waited_ms: number
  /** Time for which it held the slot, in ms; null where it got none. */
  readonly held_ms: number | null
}

/** How long a piece of work may take, and who can stop it. */
export interface Limits {
  /** Waiting for a slot included. */
  readonly timeout_ms?: number
  readonly signal?: AbortSignal
}

/** A session and what ends it. */
export interface Lease {
  readonly session: Session
  /** Gives connection and slot back, once nothing runs on them; after a time-out that is waited for in the background. */
  end(): Promise<void>
}

/** DuckDB inside its sandbox, with a bounded number of sessions. The process should run with UV_THREADPOOL_SIZE of 4 × slots or more. */
export interface Engine {
  /** Scratch folder of this engine, removed when it closes. */
  readonly folder: string
  /** True where `s3://` files are read in ranges; else the reason why they are not, where they should be. */
  readonly rangeReads: boolean
  readonly noRangeReads: Error | null
  /** Queries that may run at once. */
  readonly slots: number
  readonly load: { readonly taken: number; readonly waiting: number }
  /** Waits for a slot and opens a session. Throws `busy`, `timeout`, `aborted` or `closed`. */
  lease(limits: Limits, relations: Relations | null): Promise<Lease>
  /** Runs work in a session of its own. */
  use<T>(limits: Limits, relations: Relations | null, work: (session: Session) => Promise<T>): Promise<T>
  /** Stops what runs, waits for it, and closes DuckDB. */
  close(): Promise<void>
}

/** Interrupts are repeated: one that comes before a statement has started is lost (DuckDB clears the flag at its start). */
const INTERRUPT_EVERY_MS = 20

/** Opens DuckDB in memory, closes its sandbox for good, and gives it out in sessions. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  await removeLeftovers(options.spool)
  const folder = resolve(options.spool, `duckdb-${process.pid}-${Math.random().toString(36).slice(2, 10)}`)
  await mkdir(join(folder, 'spill'), { recursive: true })
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(options.threads),
    memory_limit: `${Math.round(options.memory / 1e6)}MB`,
    temp_directory: join(folder, 'spill'),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  })
  const httpfs = await closeSandbox(instance, options, folder)
  if (options.standBack) await standBack()
  const slots = new Slots({ places: options.slots, queue: options.queue })
  return new RunningEngine({ instance, folder, httpfs, slots, tell: options.onQuery ?? null })
}

/** The order matters: the folders are named while that is still allowed, then the outside is shut, then the settings are. */
async function closeSandbox(instance: DuckDBInstance, options: EngineOptions, folder: string): Promise<BucketSecret | Error | null> {
  const connection = await instance.connect()
  let httpfs: BucketSecret | Error | null = null
  try {
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    await connection.run('SET GLOBAL parquet_metadata_cache = true')
    // Files never change under their name: DuckDB need not ask the store for each of them at every query.
    await connection.run("SET GLOBAL validate_external_file_cache = 'NO_VALIDATION'")
    // As an option at opening it is accepted and not heeded (DuckDB 1.5.5).
    await connection.run(`SET GLOBAL max_temp_directory_size = '${Math.round(options.spill / 1e6)}MB'`)
    httpfs = options.httpfs ? await loadHttpfs(connection, options.httpfs) : null
    const folders = [...options.folders.map(absolute), folder].map((path) => quoteText(path.endsWith('/') ? path : `${path}/`))
    await connection.run(`SET allowed_directories = [${folders.join(', ')}]`)
    await connection.run('SET enable_external_access = false')
    await connection.run('SET lock_configuration = true')
    return httpfs
  } finally {
    // A secret is replaced over this connection.
    if (!(httpfs instanceof BucketSecret)) connection.disconnectSync()
  }
}

class RunningEngine implements Engine {
  readonly folder: string
  readonly rangeReads: boolean
  readonly noRangeReads: Error | null
  readonly #instance: DuckDBInstance
  readonly #secret: BucketSecret | null
  readonly #slots: Slots
  readonly #tell: ((told: QueryTold) => void) | null
  readonly #leases = new Map<AbortController, Promise<void>>()

  constructor(parts: {
    instance: DuckDBInstance
    folder: string
    httpfs: BucketSecret | Error | null
    slots: Slots
    tell: ((told: QueryTold) => void) | null
  }) {
    this.#instance = parts.instance
    this.#slots = parts.slots
    this.#tell = parts.tell
    this.folder = parts.folder
    this.#secret = parts.httpfs instanceof BucketSecret ? parts.httpfs : null
    this.rangeReads = this.#secret !== null
    this.noRangeReads = parts.httpfs instanceof Error ? parts.httpfs : null
  }

  get slots(): number {
    return this.#slots.places
  }

  get load(): { readonly taken: number; readonly waiting: number } {
    return this.#slots.load
  }

  async lease(limits: Limits, relations: Relations | null): Promise<Lease> {
    const stop = new AbortController()
    const unwatch = watch(stop, limits)
    const asked_at = performance.now()
    try {
      const release = await this.#slots.take(stop.signal)
      const connection = await this.#connect().catch((error: unknown) => {
        release()
        throw error
      })
      return this.#lease({ connection, stop, unwatch, release, relations, waited_ms: performance.now() - asked_at })
    } catch (error) {
      unwatch()
      this.#tell?.({ outcome: failureOf(error), waited_ms: performance.now() - asked_at, held_ms: null })
      throw error
    }
  }

  async use<T>(limits: Limits, relations: Relations | null, work: (session: Session) => Promise<T>): Promise<T> {
    const lease = await this.lease(limits, relations)
    try {
      return await work(lease.session)
    } finally {
      await lease.end()
    }
  }

  async close(): Promise<void> {
    const closed = new QueryError('closed', 'the lake is being closed')
    this.#slots.close(closed)
    for (const stop of this.#leases.keys()) stop.abort(closed)
    await Promise.all(this.#leases.values())
    await this.#secret?.close()
    this.#instance.closeSync()
    await rm(this.folder, { recursive: true, force: true })
  }

  async #connect(): Promise<DuckDBConnection> {
    await this.#secret?.refresh()
    return this.#instance.connect()
  }

  #lease(parts: {
    connection: DuckDBConnection
    stop: AbortController
    unwatch: () => void
    release: () => void
    relations: Relations | null
    waited_ms: number
  }): Lease {
    const { connection, stop, relations, waited_ms } = parts
    const began_at = performance.now()
    const session = new Session({ connection, signal: stop.signal, relations, secret: this.#secret })
    let interrupting: NodeJS.Timeout | undefined
    const interrupt = (): void => {
      connection.interrupt()
      interrupting ??= setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS)
    }
    stop.signal.addEventListener('abort', interrupt, { once: true })
    let ended: () => void = () => {}
    this.#leases.set(stop, new Promise((resolve) => (ended = resolve)))
    const finish = async (): Promise<void> => {
      await session.settled()
      stop.signal.removeEventListener('abort', interrupt)
      clearInterval(interrupting)
      parts.unwatch()
      connection.disconnectSync()
      relations?.release()
      parts.release()
      this.#leases.delete(stop)
      ended()
      const outcome = stop.signal.aborted ? failureOf(stop.signal.reason) : 'done'
      this.#tell?.({ outcome, waited_ms, held_ms: performance.now() - began_at })
    }
    return {
      session,
      end: async () => {
        const finishing = finish()
        if (!stop.signal.aborted) await finishing
      },
    }
  }
}

function failureOf(error: unknown): QueryFailure {
  return error instanceof QueryError ? error.code : 'failed'
}

/** Aborts `stop` at the time limit or when the caller's signal is aborted; resolves to what ends the watch. */
function watch(stop: AbortController, { timeout_ms, signal }: Limits): () => void {
  const give = (): void => stop.abort(new QueryError('aborted', 'the query was given up', { cause: signal?.reason }))
  const late = (): void => stop.abort(new QueryError('timeout', `no answer within ${timeout_ms} ms`))
  const timer = timeout_ms === undefined ? undefined : setTimeout(late, timeout_ms)
  if (signal?.aborted) give()
  else signal?.addEventListener('abort', give, { once: true })
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', give)
  }
}

/** Removes folders that engines of ended processes left. */
async function removeLeftovers(spool: string): Promise<void> {
  await mkdir(spool, { recursive: true })
  for (const name of await readdir(spool)) {
    const pid = /^duckdb-(\d+)-/.exec(name)?.[1]
    if (!pid || isAlive(Number(pid))) continue
    await rm(join(spool, name), { recursive: true, force: true })
  }
}

function absolute(path: string): string {
  return path.startsWith('s3://') ? path : resolve(path)
}
