import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { isAlive } from '../process-lock.ts'
import { aborted } from './aborted.ts'
import { isInvalidDatabase, QueryError, type QueryFailure } from './errors.ts'
import { BucketSecret, type HttpfsAccess, loadHttpfs } from './httpfs.ts'
import { quoteText } from './literal.ts'
import { standBack } from './priority.ts'
import { Semaphore } from './semaphore.ts'
import { type Relations, Session } from './session.ts'

/** Resources and access of an engine. */
export interface EngineOptions {
  /**
   * Folders and `s3://…` prefixes that queries may read (and the process's own statements write); nothing else is accessible.
   */
  readonly folders: readonly string[]
  /** Folder for scratch files and DuckDB's spilling; each engine creates its own inside it. */
  readonly spool: string
  /** Bytes of memory and disk for DuckDB, and its threads. */
  readonly memory: number
  readonly spill: number
  readonly threads: number
  /** Queries that run at once, and how many more may wait. */
  readonly slots: number
  readonly queue: number
  /** True if replies without a query have priority: DuckDB's threads get lower priority (see `standBack`). */
  readonly standBack?: boolean
  /**
   * False in a process that reads most files once: DuckDB then keeps neither their data nor their footers, which otherwise fill
   * its memory. Footers of an S3 lake are always kept.
   */
  readonly cacheFiles?: boolean
  /** Range reads of an S3 lake; null or absent for none. */
  readonly httpfs?: HttpfsAccess | null
  /** Called after each piece of work ends or is rejected. */
  readonly onQuery?: (result: QueryReport) => void
}

/** Result of a piece of work in a session. */
export interface QueryReport {
  /** How it ended: `done` if nothing stopped it, even if statements failed. */
  readonly outcome: 'done' | QueryFailure
  /** Time waiting for a slot, in ms. */
  readonly waited_ms: number
  /** Time in the slot, in ms; null if it got none. */
  readonly held_ms: number | null
}

/** Time limit of a piece of work, and its abort signal. */
export interface Limits {
  /** Includes waiting for a slot. */
  readonly timeout_ms?: number
  /** When the time began, if several pieces of work share it: by `performance.now()`. */
  readonly since?: number
  readonly signal?: AbortSignal
}

/** A session and the function that ends it. */
export interface Lease {
  readonly session: Session
  /** Releases connection and slot once nothing runs on them; after a timeout this happens in the background. */
  end(): Promise<void>
}

/**
 * DuckDB in its sandbox, with a bounded number of sessions. The process should run with UV_THREADPOOL_SIZE of at least 4 ×
 * slots.
 */
export interface Engine {
  /** Scratch folder of this engine, removed on close. */
  readonly folder: string
  /** True if `s3://` files are read in ranges; else the reason why not. */
  readonly rangeReads: boolean
  readonly noRangeReads: Error | null
  /** Queries that may run at once. */
  readonly slots: number
  readonly load: { readonly taken: number; readonly waiting: number }
  /** Waits until a slot is free for the present work (`asWork`), without taking it: before a lock is taken that others need. */
  slotFree(signal: AbortSignal): Promise<void>
  /** Waits for a slot and opens a session. Throws `busy`, `timeout`, `aborted` or `closed`. */
  lease(limits: Limits, relations: Relations | null): Promise<Lease>
  /** Runs work in its own session. */
  use<T>(limits: Limits, relations: Relations | null, work: (session: Session) => Promise<T>): Promise<T>
  /** Stops running work, waits for it, and closes DuckDB. */
  close(): Promise<void>
}

/** Interrupts are repeated, since DuckDB loses one that arrives before a statement starts (it clears the flag at its start). */
const INTERRUPT_EVERY_MS = 20

/**
 * Opens DuckDB in memory, closes its sandbox permanently, and leases sessions. An internal error invalidates a database for
 * good (DuckDB 1.5.5 has rare ones, as its issue 22352): the next session then gets a new one.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  await removeLeftovers(options.spool)
  const folder = resolve(options.spool, `duckdb-${process.pid}-${Math.random().toString(36).slice(2, 10)}`)
  await mkdir(folder, { recursive: true })
  let opened = 0
  const open = (): Promise<Database> => openDatabase(options, { folder, spill: join(folder, `spill-${++opened}`) })
  const database = await open()
  if (options.standBack) await standBack()
  const slots = new Semaphore({ places: options.slots, queue: options.queue })
  return new RunningEngine({ open, database, folder, slots, report: options.onQuery ?? null })
}

/** A database in memory, and its access to the bucket: an error if range reads failed, null without. */
interface Database {
  readonly instance: DuckDBInstance
  readonly httpfs: BucketSecret | Error | null
}

/** A database spills into a folder of its own: its files have the names of any other's, and it removes them all at its end. */
async function openDatabase(
  options: EngineOptions,
  { folder, spill }: { readonly folder: string; readonly spill: string },
): Promise<Database> {
  await mkdir(spill)
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(options.threads),
    memory_limit: `${Math.round(options.memory / 1e6)}MB`,
    temp_directory: spill,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  })
  try {
    return { instance, httpfs: await closeSandbox(instance, options, folder) }
  } catch (error) {
    instance.closeSync()
    throw error
  }
}

/** The order matters: folders are named while still allowed, then outside access is closed, then the settings are locked. */
async function closeSandbox(instance: DuckDBInstance, options: EngineOptions, folder: string): Promise<BucketSecret | Error | null> {
  const connection = await instance.connect()
  let httpfs: BucketSecret | Error | null = null
  try {
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    const { cacheFiles = true } = options
    await connection.run(`SET GLOBAL enable_external_file_cache = ${cacheFiles}`)
    await connection.run(`SET GLOBAL parquet_metadata_cache = ${cacheFiles || Boolean(options.httpfs)}`)
    // Files never change under their name, so DuckDB need not validate each of them at every query.
    await connection.run("SET GLOBAL validate_external_file_cache = 'NO_VALIDATION'")
    // As an option at opening it is accepted but ignored (DuckDB 1.5.5).
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
  readonly #open: () => Promise<Database>
  #database: Database
  /** The replacement of a database that may be invalid; null while there is none. */
  #renewal: Promise<void> | null = null
  readonly #slots: Semaphore
  readonly #report: ((result: QueryReport) => void) | null
  readonly #leases = new Map<AbortController, Promise<void>>()

  constructor(parts: {
    open: () => Promise<Database>
    database: Database
    folder: string
    slots: Semaphore
    report: ((result: QueryReport) => void) | null
  }) {
    this.#open = parts.open
    this.#database = parts.database
    this.#slots = parts.slots
    this.#report = parts.report
    this.folder = parts.folder
    const { httpfs } = parts.database
    this.rangeReads = httpfs instanceof BucketSecret
    this.noRangeReads = httpfs instanceof Error ? httpfs : null
  }

  get slots(): number {
    return this.#slots.places
  }

  get load(): { readonly taken: number; readonly waiting: number } {
    return this.#slots.load
  }

  slotFree(signal: AbortSignal): Promise<void> {
    return this.#slots.free(signal)
  }

  async lease(limits: Limits, relations: Relations | null): Promise<Lease> {
    const stop = new AbortController()
    const unwatch = watch(stop, limits)
    const asked_at = performance.now()
    try {
      const release = await this.#slots.take(stop.signal)
      const connected = await this.#connect(stop.signal).catch((error: unknown) => {
        release()
        throw error
      })
      return this.#lease({ ...connected, stop, unwatch, release, relations, waited_ms: performance.now() - asked_at })
    } catch (error) {
      unwatch()
      this.#report?.({ outcome: failureOf(error), waited_ms: performance.now() - asked_at, held_ms: null })
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
    await this.#renewal?.catch(() => {})
    await closeDatabase(this.#database)
    await rm(this.folder, { recursive: true, force: true })
  }

  async #connect(signal: AbortSignal): Promise<{ readonly connection: DuckDBConnection; readonly database: Database }> {
    await this.#renewed(signal)
    try {
      return await connectTo(this.#database)
    } catch (error) {
      if (!isInvalidDatabase(error)) throw error
      this.#renew(this.#database)
      await this.#renewed(signal)
      return await connectTo(this.#database)
    }
  }

  /** Waits for a database that is being opened. Throws `closed` if it cannot be, and the reason of a signal. */
  async #renewed(signal: AbortSignal): Promise<void> {
    if (!this.#renewal) return
    const renewing = this.#renewal.catch((cause: unknown) => {
      throw new QueryError('closed', 'DuckDB cannot be opened again', { cause })
    })
    await Promise.race([renewing, aborted(signal)])
  }

  /** Replaces a database if DuckDB has invalidated it. If that fails, the next invalid session tries again. */
  #renew(suspect: Database): void {
    if (suspect !== this.#database || this.#renewal) return
    this.#renewal = this.#replace(suspect).finally(() => {
      this.#renewal = null
    })
    this.#renewal.catch(() => {})
  }

  async #replace(suspect: Database): Promise<void> {
    // Not every internal error invalidates it.
    if (await isValid(suspect)) return
    const database = await this.#open()
    if (this.rangeReads && !secretOf(database)) {
      await closeDatabase(database)
      throw new Error('the new database cannot read the bucket', { cause: database.httpfs })
    }
    this.#database = database
    // The connections of other sessions keep what they use of it.
    await closeDatabase(suspect)
  }

  #lease(parts: {
    connection: DuckDBConnection
    database: Database
    stop: AbortController
    unwatch: () => void
    release: () => void
    relations: Relations | null
    waited_ms: number
  }): Lease {
    const { connection, database, stop, relations, waited_ms } = parts
    const began_at = performance.now()
    const invalid = (): void => this.#renew(database)
    const session = new Session({ connection, signal: stop.signal, relations, secret: secretOf(database), invalid })
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
      this.#report?.({ outcome, waited_ms, held_ms: performance.now() - began_at })
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

async function connectTo(database: Database): Promise<{ readonly connection: DuckDBConnection; readonly database: Database }> {
  await secretOf(database)?.refresh()
  return { connection: await database.instance.connect(), database }
}

/** True if a database still runs statements. */
async function isValid({ instance }: Database): Promise<boolean> {
  try {
    const connection = await instance.connect()
    try {
      await connection.run('SELECT 1')
      return true
    } finally {
      connection.disconnectSync()
    }
  } catch {
    return false
  }
}

function secretOf({ httpfs }: Database): BucketSecret | null {
  return httpfs instanceof BucketSecret ? httpfs : null
}

async function closeDatabase(database: Database): Promise<void> {
  await secretOf(database)?.close()
  database.instance.closeSync()
}

function failureOf(error: unknown): QueryFailure {
  return error instanceof QueryError ? error.code : 'failed'
}

/** Aborts `stop` at the time limit or on the caller's signal; returns a function that ends the watch. */
function watch(stop: AbortController, { timeout_ms, since = performance.now(), signal }: Limits): () => void {
  const give = (): void => stop.abort(new QueryError('aborted', 'the query was aborted', { cause: signal?.reason }))
  const late = (): void => stop.abort(new QueryError('timeout', `no result within ${timeout_ms} ms`, { timeout_ms: timeout_ms as number }))
  const timer = timeout_ms === undefined ? undefined : setTimeout(late, since + timeout_ms - performance.now())
  if (signal?.aborted) give()
  else signal?.addEventListener('abort', give, { once: true })
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', give)
  }
}

/** Removes folders of engines of ended processes. */
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
