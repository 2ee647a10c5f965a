import { type AcceptedFetch, RawBytesError, type RawFetch, type ReceivedBody, readBody } from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import { isBulk, recordedPublication } from './bulk.ts'
import { decodeKept } from './collect.ts'
import { groupFactsOf, ruleOf } from './completeness-groups.ts'
import type { IngestContext } from './context.ts'
import { type Advance, advance, type DatasetState } from './fold.ts'
import { type Publication, parsePublication } from './parse.ts'
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
