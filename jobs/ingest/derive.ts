import { type AcceptedFetch, readBody } from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import { decodeKept } from './collect.ts'
import type { IngestContext } from './context.ts'
import { type Advance, advance, type DatasetState } from './fold.ts'
import { type Publication, parsePublication } from './parse.ts'

/** Applies an accepted fetch to the state of one dataset. */
export function advancePart(
  feed: Feed,
  part: { readonly dataset: Dataset; readonly state: DatasetState },
  fetch: { readonly accepted: AcceptedFetch; readonly publication: Publication; readonly idKey: Buffer },
): Advance {
  const { accepted, publication, idKey } = fetch
  const { dataset, state } = part
  const facts = {
    fetch_id: accepted.fetch_id,
    data_time: Date.parse(accepted.data_time),
    missing: accepted.missing_blocks[dataset.id] ?? [],
    block: feed.blocks?.[dataset.id] ?? null,
  }
  return advance(dataset, state, { rows: publication.rows.get(dataset.id) as AnyRow[], facts, key: idKey })
}

/** Parses an accepted fetch from the archive, as of its own fetch time. */
export async function parseAccepted(context: IngestContext, feed: Feed, accepted: AcceptedFetch): Promise<Publication> {
  const bodies = await Promise.all(accepted.bodies.map(async (body) => ({ ...body, received: await readBody(context.store, body) })))
  return parsePublication(feed, await decodeKept(feed, bodies), Date.parse(accepted.fetched_at))
}
