import { type BackfillProgress, type FeedState, readFeedStates, writeFeedState } from '../../lake/live/freshness.ts'
import { livePart } from '../../lake/live/write.ts'
import { after, WaitedTooLong, waitingAtMost } from '../../lake/query/work-kind.ts'
import { type AcceptedFetch, newestAccepted } from '../../lake/raw/archive.ts'
import { type ArchiveFile, type Feed, FormatError, type Stream } from '../feeds/define.ts'
import { compactDataset } from '../upkeep/compact.ts'
import { collectFile, type ImportedPart, importedReply, outcomeOfAll, recentFiles } from './archive.ts'
import { acceptRejected, withdrawFetch } from './by-hand.ts'
import type { Collected } from './collect.ts'
import type { IngestContext } from './context.ts'
import { feedStateAccepted, feedStateAfter, feedStateOf } from './freshness.ts'
import { FetchError } from './http.ts'
import { fillTable, land } from './land.ts'
import { mergeLateData } from './late-data.ts'
import { countLost, type FeedMemory, keepCheckpoint, missingOf, openMemory, syncMemory } from './memory.ts'
import { type FetchOutcome, runFeed, runFile, showLive } from './pipeline.ts'
import { type Arriving, showArriving } from './streams/arriving.ts'
import { type FollowOptions, followStream, type StreamFile, type StreamHealth, streamReply } from './streams/follow.ts'
import { landedIn } from './tables.ts'
import { refusedTables, waitsForTables } from './usable.ts'

/** Retries of a landing when another process landed in the meantime. */
const MOST_LANDINGS = 5
/** How long one landing fills tables of datasets added to their feed later, ms; the next one continues. */
const FILL_MS = 60_000

/** Runs feeds in one process, each with its memory. */
export interface Runner {
  /** Fetches a feed once: an archive's newest files, or one file of a stream. */
  fetch(feed: Feed, signal: AbortSignal): Promise<FetchOutcome>
  /** Keeps a stream's connections open until the signal fires. `onFile` runs the acceptance of each file. */
  follow(feed: Feed, signal: AbortSignal, options?: FollowOptions): Promise<void>
  /** The periods of an archive with an accepted file. */
  acceptedPeriods(feed: Feed): Promise<ReadonlySet<string>>
  /** Records the progress of an archive's background backfill in its freshness. */
  reportBackfill(feed: Feed, progress: BackfillProgress): Promise<void>
  /** Fetches one file of an archive, beside others; they are judged in turn. Null if the publisher lacks the file. */
  takeFile(feed: Feed, file: ArchiveFile, signal: AbortSignal): Promise<FetchOutcome | null>
  /** Processes a part that an operator brings, packed by gzip, like the file of a period. `from` names its origin. */
  takePart(feed: Feed, part: ImportedPart, signal: AbortSignal): Promise<FetchOutcome>
  /** Lands the accepted fetches, places late ones, and compacts small files. Returns rows by dataset. */
  land(feed: Feed, signal: AbortSignal): Promise<Record<string, number>>
  /** Accepts a rejected fetch and shows it live. */
  accept(feed: Feed, fetchId: string): Promise<AcceptedFetch>
  /**
   * Withdraws an accepted fetch, removes its rows through `land`, and shows the state without it. If interrupted, the next
   * call, landing or fetch finishes it. False if it was already withdrawn.
   */
  withdraw(feed: Feed, fetchId: string, land: () => Promise<unknown>): Promise<boolean>
  /**
   * Restores each feed's live state and freshness in Redis: at start, after Redis was emptied, after a replay. Drops the memory
   * of other feeds: their owners have it.
   */
  heal(feeds: readonly Feed[]): Promise<void>
}

/** Makes the runner of a process. */
export function makeRunner(context: IngestContext): Runner {
  const memories = new Map<string, FeedMemory>()
  const turns = new Map<string, Promise<unknown>>()

  /**
   * One task at a time per feed; a failed task discards the memory, unless the next turn can compare it with the tables. A task
   * that waits for its turn or, in it, for a query slot longer than the feed's cadence gives way: throws `WaitedTooLong`.
   */
  const inTurn = <T>(
    feed: Feed,
    work: (memory: FeedMemory) => Promise<T>,
    { keepsMemory = false }: { readonly keepsMemory?: boolean } = {},
  ): Promise<T> => {
    const most_ms = feed.stream ? Number.POSITIVE_INFINITY : feed.every_s * 1000
    const before = turns.get(feed.id) ?? Promise.resolve()
    const over = Promise.withResolvers<never>()
    let tooLate: WaitedTooLong | null = null
    const cancel = after(most_ms, () => {
      tooLate = new WaitedTooLong(`the turn of feed ${feed.id}`, most_ms)
      over.reject(tooLate)
    })
    const turn = waitingAtMost(most_ms, () =>
      before.then(async () => {
        if (tooLate) throw tooLate
        cancel()
        const known = memories.get(feed.id)
        memories.delete(feed.id)
        const memory = known ? await syncMemory(context, known) : await openMemory(context, feed)
        memories.set(feed.id, memory)
        try {
          return await work(memory)
        } catch (error) {
          if (!keepsMemory) memories.delete(feed.id)
          throw error
        }
      }),
    )
    turns.set(
      feed.id,
      turn.catch(() => undefined),
    )
    return Promise.race([turn, over.promise])
  }

  /** The facts of a memory that freshness needs. */
  const factsOf = (memory: FeedMemory) => ({
    last: memory.last,
    missing: missingOf(memory),
    mode: context.mode,
    lost: countLost(memory),
  })

  const openAnew = async (feed: Feed): Promise<FeedMemory> => {
    memories.delete(feed.id)
    const memory = await openMemory(context, feed)
    memories.set(feed.id, memory)
    return memory
  }

  /** Lands the pending rows of a feed's memory; if another process landed, rebuilds the memory and lands the rest. */
  const landMemory = async (feed: Feed, known: FeedMemory): Promise<Record<string, number>> => {
    const rows: Record<string, number> = {}
    let memory = known
    for (let attempt = 1; attempt <= MOST_LANDINGS; attempt++) {
      const done = await land(context, memory)
      for (const [dataset, count] of Object.entries(done.rows)) rows[dataset] = (rows[dataset] ?? 0) + count
      if (done.fits) return rows
      memory = await openAnew(feed)
    }
    throw new Error(`${feed.id}: others landed during each of ${MOST_LANDINGS} attempts to land; the next landing tries again`)
  }

  /** Records the outcome of a run in a feed's freshness. */
  const recordOutcome = async (
    known: FeedMemory,
    memory: FeedMemory,
    run: { outcome: FetchOutcome; attempted_at: number },
  ): Promise<void> => {
    const { feed } = memory
    const before = (await readFeedStates(context.redis)).get(feed.id) ?? feedStateOf(feed, factsOf(known))
    await writeFeedState(context.redis, feedStateAfter(feed, { before, ...run, ...factsOf(memory) }))
  }

  /** Records that a feed waits for a table that cannot be used: the publisher is not asked, and nothing is logged or stored. */
  const waitingFor = async (feed: Feed, reason: string): Promise<FetchOutcome> => {
    await recordFailure(context, feed, new Error(reason))
    return failure(reason, context.now())
  }

  const fetchWhole = (feed: Feed, signal: AbortSignal): Promise<FetchOutcome> =>
    inTurn(feed, async (known) => {
      const attempted_at = context.now()
      const { memory, outcome } = await runFeed(context, known, signal)
      memories.set(feed.id, memory)
      await recordOutcome(known, memory, { outcome, attempted_at })
      return outcome
    })

  const fetchRecent = async (feed: Feed, signal: AbortSignal): Promise<FetchOutcome> => {
    const attempted_at = context.now()
    const outcomes: FetchOutcome[] = []
    try {
      for (const file of await recentFiles(context, feed, signal))
        outcomes.push(...[await takeFile(feed, file, signal)].filter((one) => one !== null))
    } catch (error) {
      if (!(error instanceof FetchError) && !(error instanceof FormatError)) throw error
      outcomes.push(failure(error.message, context.now()))
    }
    const outcome = outcomeOfAll(outcomes, context.now())
    await inTurn(feed, (memory) => recordOutcome(memory, memory, { outcome, attempted_at }))
    return outcome
  }

  const takeFile = async (feed: Feed, file: ArchiveFile, signal: AbortSignal): Promise<FetchOutcome | null> => {
    const reason = await waitsForTables(context, feed)
    if (reason !== null) return failure(reason, context.now())
    const { period } = file
    const former = await inTurn(feed, async ({ periods }) => periods.get(period) ?? null)
    let collected: Collected | null
    try {
      collected = await collectFile(context, feed, { file, former, signal })
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      return failure(error.message, context.now())
    }
    if (collected === null) return null
    const reply = collected
    return inTurn(feed, async (known) => {
      const { memory, outcome } = await runFile(context, known, { collected: reply, period, signal })
      memories.set(feed.id, memory)
      return outcome
    })
  }

  const takePart = async (feed: Feed, part: ImportedPart, signal: AbortSignal): Promise<FetchOutcome> => {
    const reason = await waitsForTables(context, feed)
    if (reason !== null) return failure(reason, context.now())
    const collected = await importedReply(part, context.now())
    return inTurn(feed, async (known) => {
      const { memory, outcome } = await runFile(context, known, { collected, period: part.period, signal })
      memories.set(feed.id, memory)
      await recordOutcome(known, memory, { outcome, attempted_at: collected.fetched_at })
      return outcome
    })
  }

  const takeStreamed = async (feed: Feed, file: StreamFile, arriving: Arriving): Promise<FetchOutcome> => {
    const reason = await waitsForTables(context, feed)
    if (reason !== null) throw new FetchError(reason, { retryable: true })
    return inTurn(feed, async (known) => {
      const attempted_at = context.now()
      const taken = { collected: streamReply(file), signal: new AbortController().signal }
      const { memory, outcome } = await runFile(context, known, taken)
      memories.set(feed.id, memory)
      if (outcome.outcome === 'failed') throw new FetchError(outcome.reason ?? 'not accepted', { retryable: true })
      arriving.clear()
      // The file is in the store: if Redis takes no news of it, the next file must not wait.
      await recordOutcome(known, memory, { outcome, attempted_at }).catch((error: Error) =>
        context.log.warn({ feed: feed.id, reason: error.message }, 'freshness not recorded'),
      )
      return outcome
    })
  }

  /** Records in a stream's freshness when it was last heard, or why it is silent. */
  const reportHealth = (feed: Feed, { heard_at, problem }: StreamHealth): Promise<void> =>
    inTurn(feed, async (memory) => {
      const attempted_at = context.now()
      const before = (await readFeedStates(context.redis)).get(feed.id) ?? feedStateOf(feed, factsOf(memory))
      const outcome = problem === null ? { ...failure('', attempted_at), outcome: 'unchanged' as const } : failure(problem, attempted_at)
      const state = feedStateAfter(feed, { before, outcome, attempted_at, ...factsOf(memory) })
      const heard = heard_at ?? before?.last_success_at ?? null
      await writeFeedState(context.redis, { ...state, last_success_at: heard, fresh_at: heard })
    })

  const follow = async (feed: Feed, signal: AbortSignal, options: FollowOptions = {}): Promise<FetchOutcome | null> => {
    const { onFile = (run) => run(), ...how } = options
    const arriving: Arriving = new Map()
    let last: FetchOutcome | null = null
    await followStream(context, feed, {
      ...how,
      signal,
      known: () =>
        inTurn(feed, async (memory) => ({
          rows: new Map([...memory.parts].map(([id, { state }]) => [id, [...state.entries.values()].map(({ row }) => row)])),
          isNew: memory.last === null,
        })),
      accept: (file) =>
        onFile(async () => {
          last = await takeStreamed(feed, file, arriving)
          return last
        }),
      show: (bytes) => inTurn(feed, (memory) => showArriving(context, memory, { arriving, bytes, at: context.now() })),
      report: (health) => reportHealth(feed, health),
    })
    return last
  }

  const fetchOneFile = async (feed: Feed, signal: AbortSignal): Promise<FetchOutcome> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(2000 * (feed.stream as Stream).file_s)])
    return (await follow(feed, limit, { onlyOne: true })) ?? failure('nothing came', context.now())
  }

  const fetchOnce = async (feed: Feed, signal: AbortSignal): Promise<FetchOutcome> => {
    const reason = await waitsForTables(context, feed)
    if (reason !== null) return waitingFor(feed, reason)
    return feed.archive ? fetchRecent(feed, signal) : feed.stream ? fetchOneFile(feed, signal) : fetchWhole(feed, signal)
  }

  return {
    async follow(feed, signal, options) {
      const reason = await waitsForTables(context, feed)
      if (reason === null) await follow(feed, signal, options)
      else await waitingFor(feed, reason)
    },

    fetch: (feed, signal) =>
      fetchOnce(feed, signal).catch(async (error: unknown) => {
        if (!signal.aborted && !(error instanceof WaitedTooLong))
          await recordFailure(context, feed, error).catch((err: unknown) => context.log.error({ feed: feed.id, err }, 'failure not saved'))
        throw error
      }),

    acceptedPeriods: (feed) => inTurn(feed, async ({ periods }) => new Set(periods.keys())),
    takeFile,
    takePart,

    reportBackfill: (feed, progress) =>
      inTurn(feed, async (memory) => {
        const state = (await readFeedStates(context.redis)).get(feed.id) ?? feedStateOf(feed, factsOf(memory))
        if (state) await writeFeedState(context.redis, { ...state, backfill: { ...progress } })
      }),

    async land(feed, signal) {
      const began = performance.now()
      if ((await waitsForTables(context, feed)) !== null) return {}
      // Only the pending rows use the feed's turn: the rest may take long, and the publisher does not wait.
      await mergeLateData(context, feed, signal)
      // Before the turn: a fetch of the feed must not wait behind a landing that waits for other feeds' queries.
      await waitingAtMost(feed.every_s * 1000, () => context.lake.engine.slotFree(signal))
      const landed = async (memory: FeedMemory) => {
        const rows = await landMemory(feed, memory)
        const fresh = memories.get(feed.id) ?? memory
        await keepCheckpoint(context, fresh)
        const { parts, filling } = fresh
        const backlog = [...parts.values()].filter(({ pending }) => pending.length > 0)
        return { rows, filling: [...filling, ...backlog.map(({ dataset }) => dataset)] }
      }
      const { rows, filling } = await inTurn(feed, landed, { keepsMemory: true })
      for (const dataset of filling)
        rows[dataset.id] = (rows[dataset.id] ?? 0) + (await fillTable(context, feed, dataset, { signal, atMost_ms: FILL_MS }))
      signal.throwIfAborted()
      for (const dataset of feed.into) await compactDataset(context, dataset)
      if (Object.keys(rows).length > 0) context.log.info({ feed: feed.id, rows, ms: Math.round(performance.now() - began) }, 'feed landed')
      return rows
    },

    accept: (feed, fetchId) =>
      inTurn(feed, async (memory) => {
        const accepted = await acceptRejected(context, memory, fetchId)
        const fresh = await openAnew(feed)
        await showLive(context, fresh)
        const before = (await readFeedStates(context.redis)).get(feed.id) ?? null
        const now = feedStateOf(feed, factsOf(fresh)) as FeedState
        await writeFeedState(context.redis, feedStateAccepted(before, now, accepted))
        return accepted
      }),

    async withdraw(feed, fetchId, landAll) {
      const isNew = await inTurn(feed, async () => {
        const done = await withdrawFetch(context, feed, fetchId)
        await openAnew(feed)
        return done
      })
      await landAll()
      await inTurn(feed, async () => {
        const fresh = await openAnew(feed)
        await showLive(context, fresh)
        const attempted_at = context.now()
        const outcome = failure(`${fetchId} was withdrawn`, attempted_at)
        const before = feedStateOf(feed, factsOf(fresh))
        if (isNew) await writeFeedState(context.redis, feedStateAfter(feed, { before, outcome, attempted_at, ...factsOf(fresh) }))
      })
      return isNew
    },

    async heal(feeds) {
      for (const id of memories.keys()) if (!feeds.some((feed) => feed.id === id)) memories.delete(id)
      const states = await readFeedStates(context.redis)
      // Those that are fetched most often first.
      for (const feed of feeds.toSorted((one, other) => one.every_s - other.every_s)) {
        // One feed that cannot be restored must not keep the others from Redis.
        await healFeed(feed, states.has(feed.id)).catch((error: Error) =>
          context.log.warn({ feed: feed.id, reason: error.message }, 'live state not restored'),
        )
      }
    },
  }

  async function healFeed(feed: Feed, hasState: boolean): Promise<void> {
    // What Redis still has stays as it is.
    if (feed.into.some(({ id }) => refusedTables(context).has(id))) return
    const live = feed.into.filter((dataset) => dataset.live && !memories.get(feed.id)?.filling.includes(dataset))
    const whole = await Promise.all(
      live.map(async (dataset) => {
        const part = await livePart(context.redis, dataset.id, feed.id)
        const landed = await landedIn(context, dataset, feed.id)
        // A Redis that was restored or promoted may be older than what this process showed.
        const isNewest = part !== null && part.seq >= (memories.get(feed.id)?.seq ?? 0)
        return isNewest && (landed.rebuildFrom !== null || part.rebuilds === landed.rebuilds)
      }),
    )
    if (memories.has(feed.id) && hasState && whole.every(Boolean)) return
    await inTurn(feed, async (memory) => {
      await showLive(context, memory)
      const state = feedStateOf(feed, factsOf(memory))
      if (state && !hasState) await writeFeedState(context.redis, state)
    })
  }
}

/** The outcome of a run without data. */
function failure(reason: string, fetched_at: number): FetchOutcome {
  const nothing = { fetch_id: null, data_time: null, rows: {}, quarantined: 0, unknown_codes: 0, missing_blocks: [] }
  return { outcome: 'failed', reason, fetched_at, ...nothing }
}

/** Records in a feed's freshness that a run failed; its data stays. */
async function recordFailure(context: IngestContext, feed: Feed, error: unknown): Promise<void> {
  const { mode } = context
  const stored = (await readFeedStates(context.redis)).get(feed.id)
  const newest = stored ? null : await newestAccepted(context.store, feed.id)
  const before = stored ?? feedStateOf(feed, { last: newest, missing: newest?.said_missing ?? {}, mode })
  const attempted_at = context.now()
  const reason = error instanceof Error ? error.message : String(error)
  const outcome = failure(reason, attempted_at)
  const after = feedStateAfter(feed, { before, outcome, attempted_at, last: null, missing: {}, mode })
  const { failing_since, failures = 1, next_attempt_at = null } = after
  const news = { last_attempt_at: attempted_at, last_error: reason, failing_since, failures, next_attempt_at }
  await writeFeedState(context.redis, { ...after, ...before, ...news })
}
