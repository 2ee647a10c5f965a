import type { Lease } from '../../lake/query/engine.ts'
import { beginStage, type Stage, type StagedRows } from '../../lake/query/rows.ts'
import { type AcceptedFetch, fetchId } from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { tableColumns } from '../../lake/schema/physical.ts'
import type { Feed, FeedBody } from '../feeds/define.ts'
import { isBulk, makeBulk } from './bulk.ts'
import type { IngestContext } from './context.ts'
import { type Publication, parsePublication } from './parse.ts'
import { PATIENCE_MS } from './tables.ts'

/** A publication, and the rows of its whole versions, in files until they land. */
export interface Spooled {
  readonly publication: Publication
  /** Keeps the rows for the landing of the accepted fetch; only those of a feed's newest fetch are kept. */
  keep(accepted: AcceptedFetch): Promise<void>
  /** Removes the rows, unless they were kept. */
  drop(): Promise<void>
}

type Rows = Map<Dataset, StagedRows>
interface Kept {
  readonly fetch: string
  readonly rows: Rows
}

const kept = new WeakMap<IngestContext, Map<Feed, Kept>>()

/**
 * Like `parsePublication`, but also writes rows of whole versions to local files, so that landing need not parse again. The
 * files are only a cache: without them (another process lands, a crash, a full disk) landing reads the same rows from the
 * archive.
 */
export async function parseSpooled(
  context: IngestContext,
  feed: Feed,
  given: { readonly bodies: readonly FeedBody[]; readonly fetchedAt: number; readonly near?: number; readonly signal: AbortSignal },
): Promise<Spooled> {
  const { bodies, fetchedAt, near = fetchedAt, signal } = given
  if (isBulk(feed)) {
    const { publication, staged } = await makeBulk(context, feed, { ...given, fetch_id: fetchId(feed.id, fetchedAt) })
    return spooledOf(context, feed, { publication, rows: new Map(feed.into.map((dataset) => [dataset, staged])) })
  }
  const spool = new Spool(context, feed, { fetch_id: fetchId(feed.id, fetchedAt), signal })
  try {
    const publication = await parsePublication(feed, bodies, fetchedAt, { near, spool: (dataset, rows) => spool.take(dataset, rows) })
    return spooledOf(context, feed, { publication, rows: await spool.end() })
  } catch (error) {
    await spool.giveUp()
    throw error
  }
}

function spooledOf(context: IngestContext, feed: Feed, { publication, rows }: { publication: Publication; rows: Rows }): Spooled {
  return {
    publication,
    async keep(accepted) {
      await dropSpooled(context, feed)
      const ofContext = kept.get(context) ?? new Map<Feed, Kept>()
      kept.set(context, ofContext.set(feed, { fetch: identityOf(accepted), rows: new Map(rows) }))
      rows.clear()
    },
    drop: () => dropRows(rows),
  }
}

/** The spooled rows of an accepted fetch for a dataset, if they exist; the caller drops them. */
export function takeSpooled(context: IngestContext, feed: Feed, fetch: { accepted: AcceptedFetch; dataset: Dataset }): StagedRows | null {
  const found = kept.get(context)?.get(feed)
  const rows = found?.fetch === identityOf(fetch.accepted) ? found.rows.get(fetch.dataset) : undefined
  if (rows) found?.rows.delete(fetch.dataset)
  return rows ?? null
}

/** Removes a feed's spooled rows. */
export async function dropSpooled(context: IngestContext, feed: Feed): Promise<void> {
  const found = kept.get(context)?.get(feed)
  kept.get(context)?.delete(feed)
  if (found) await dropRows(found.rows)
}

async function dropRows(rows: Rows): Promise<void> {
  for (const staged of rows.values()) await staged.drop()
  rows.clear()
}

/** Identifies a fetch: two workers may fetch in the same millisecond. */
const identityOf = ({ fetch_id, bodies }: AcceptedFetch): string => [fetch_id, ...bodies.map(({ sha256 }) => sha256)].join()

/** Writes rows to files. A failure is logged and the spool given up: the fetch does not need it. */
class Spool {
  readonly #context: IngestContext
  readonly #feed: Feed
  readonly #fetch: { readonly fetch_id: string; readonly signal: AbortSignal }
  readonly #stages = new Map<Dataset, Stage>()
  readonly #rows: Rows = new Map()
  #lease: Lease | null = null
  #isGivenUp = false

  constructor(context: IngestContext, feed: Feed, fetch: { readonly fetch_id: string; readonly signal: AbortSignal }) {
    this.#context = context
    this.#feed = feed
    this.#fetch = fetch
  }

  async take(dataset: Dataset, rows: readonly AnyRow[]): Promise<void> {
    if (this.#isGivenUp || rows.length === 0) return
    const { fetch_id } = this.#fetch
    for (const row of rows) row.fetch_id = fetch_id
    await this.#try(async () => (await this.#stageOf(dataset)).add(rows))
  }

  async end(): Promise<Rows> {
    await this.#try(async () => {
      for (const [dataset, stage] of this.#stages) {
        this.#rows.set(dataset, await stage.endInFiles())
        this.#stages.delete(dataset)
      }
    })
    await this.#lease?.end()
    this.#lease = null
    return this.#rows
  }

  async giveUp(): Promise<void> {
    this.#isGivenUp = true
    for (const stage of this.#stages.values()) await stage.drop()
    this.#stages.clear()
    await dropRows(this.#rows)
    await this.#lease?.end()
    this.#lease = null
  }

  async #stageOf(dataset: Dataset): Promise<Stage> {
    const known = this.#stages.get(dataset)
    if (known) return known
    this.#lease ??= await this.#context.lake.engine.lease({ timeout_ms: PATIENCE_MS, signal: this.#fetch.signal }, null)
    const stage = await beginStage(this.#lease.session, tableColumns(dataset), { spillTo: this.#context.lake.engine.folder })
    this.#stages.set(dataset, stage)
    return stage
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      await this.giveUp()
      if (this.#fetch.signal.aborted) return
      const reason = error instanceof Error ? error.message : String(error)
      this.#context.log.warn({ feed: this.#feed.id, reason }, 'could not spool rows; the landing reads the archive instead')
    }
  }
}
