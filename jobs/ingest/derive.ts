import type { StagedRows } from '../../lake/query/rows.ts'
import { type AcceptedFetch, RawBytesError, type RawFetch, type ReceivedBody, readBody } from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import { bulkOf, isBulk, recordedPublication } from './bulk.ts'
import { decodeKept } from './collect.ts'
import { groupFactsOf, ruleOf } from './completeness-groups.ts'
import type { IngestContext } from './context.ts'
import { type Advance, advance, type DatasetState } from './fold.ts'
import { checkedRows, type Publication, parsePublication } from './parse.ts'
import { recordedClock } from './repeated-hour.ts'

/** Applies an accepted fetch to a dataset's state; the publication is null if it can no longer be read. */
export function advancePart(
  feed: Feed,
  part: { readonly dataset: Dataset; readonly state: DatasetState },
  fetch: { readonly accepted: AcceptedFetch; readonly publication: Publication | null; readonly idKey: Buffer },
): Advance {
  const { accepted, publication, idKey } = fetch
  const { dataset, state } = part
  const facts = {
    fetch_id: accepted.fetch_id,
    data_time: Date.parse(accepted.data_time),
    blocks: groupFactsOf(accepted, dataset.id),
    rule: ruleOf(feed, dataset.id),
  }
  return advance(dataset, state, { rows: publication && (publication.rows.get(dataset.id) as AnyRow[]), facts, key: idKey })
}

/** The bytes of an accepted fetch, as received. */
export async function readKept(context: IngestContext, accepted: RawFetch): Promise<ReceivedBody[]> {
  return Promise.all(accepted.bodies.map(async (body) => ({ ...body, received: await readBody(context.store, body) })))
}

/**
 * Parses an accepted fetch as of its fetch time. Null if its bytes are lost or the parser no longer accepts them; this is
 * logged with its consequence. Throws if the store cannot be read now: such a fetch is not lost.
 */
export async function parseIfKept(
  context: IngestContext,
  feed: Feed,
  accepted: AcceptedFetch,
  consequence: string,
): Promise<Publication | null> {
  const lost = (error: unknown): null => {
    const reason = error instanceof Error ? error.message : String(error)
    context.log.error({ feed: feed.id, fetch_id: accepted.fetch_id, reason }, `accepted fetch cannot be read again; ${consequence}`)
    return null
  }
  const bodies = await readKept(context, accepted).catch((error: unknown) => {
    if (error instanceof RawBytesError) return lost(error)
    throw error
  })
  if (!bodies) return null
  if (isBulk(feed)) return recordedPublication(accepted)
  try {
    const { fetched_at, near } = recordedClock(accepted)
    return await parsePublication(feed, await decodeKept(feed, bodies), fetched_at, { near })
  } catch (error) {
    return lost(error)
  }
}

/**
 * A fetch's contribution to a `replace` dataset: rows read from its bytes or, if it cannot be read any more, the versions that
 * it landed.
 */
export type VersionSource = { readonly accepted: AcceptedFetch } | { readonly keeps: readonly unknown[] }

/**
 * The rows that fetches give a `replace` dataset, read from the raw archive; see `newestOfEachVersion`. A fetch that DuckDB
 * parses is handled alone.
 */
export async function rowsFromArchive(
  context: IngestContext,
  feed: Feed,
  given: { readonly dataset: Dataset; readonly newestFirst: readonly VersionSource[]; readonly taken?: Set<unknown> },
): Promise<AsyncGenerator<AnyRow[]> | StagedRows | AnyRow[]> {
  const { dataset, newestFirst, taken = new Set() } = given
  if (!isBulk(feed)) return newestOfEachVersion(context, { feed, dataset, newestFirst, taken })
  const [source, more] = newestFirst
  if (more) throw new Error(`${feed.id}: bulk rows are read from one fetch at a time`)
  if (!source) return []
  if ('keeps' in source) {
    for (const version of source.keeps) taken.add(version)
    return []
  }
  // A file has one version, named by its period.
  const { accepted } = source
  if (taken.has(accepted.period)) return []
  taken.add(accepted.period)
  return bulkOf(context, feed, { accepted, bodies: await decodeKept(feed, await readKept(context, accepted)) })
}

/**
 * Rows of a `replace` dataset, newest fetch first: each version comes from the newest fetch that has it. `taken` has the
 * versions of newer fetches, and gets those found here. Rows are streamed, so a version may exceed memory. Throws if bytes
 * that were readable cannot be read now.
 */
async function* newestOfEachVersion(
  context: IngestContext,
  given: { readonly feed: Feed; readonly dataset: Dataset; readonly newestFirst: readonly VersionSource[]; readonly taken?: Set<unknown> },
): AsyncGenerator<AnyRow[]> {
  const { feed, dataset, taken = new Set() } = given
  const column = dataset.version as string
  for (const source of given.newestFirst) {
    if ('keeps' in source) {
      for (const version of source.keeps) taken.add(version)
      continue
    }
    const { accepted } = source
    const { fetch_id } = accepted
    const found = new Set<unknown>()
    const bodies = await decodeKept(feed, await readKept(context, accepted))
    for await (const rows of checkedRows(feed, dataset, bodies, recordedClock(accepted))) {
      const kept = rows.filter((row) => !taken.has(row[column]))
      for (const row of kept) {
        row.fetch_id = fetch_id
        found.add(row[column])
      }
      if (kept.length > 0) yield kept
    }
    for (const version of found) taken.add(version)
  }
}
