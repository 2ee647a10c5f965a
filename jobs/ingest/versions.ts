import type { StagedRows } from '../../lake/query/rows.ts'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import { bulkOf, isBulk } from './bulk.ts'
import { decodeKept } from './collect.ts'
import type { IngestContext } from './context.ts'
import { readKept } from './derive.ts'
import { checkedRows } from './parse.ts'

/** What a fetch gives a `replace` dataset: its rows, read from its bytes; or, of one that cannot be read any more, the versions it landed. */
export type VersionSource = { readonly accepted: AcceptedFetch } | { readonly keeps: readonly unknown[] }

/** What fetches give a `replace` dataset, read from the raw archive; see `newestOfEachVersion`. Of what the engine makes one fetch at a time. */
export async function rowsFromArchive(
  context: IngestContext,
  feed: Feed,
  given: { readonly dataset: Dataset; readonly newestFirst: readonly VersionSource[]; readonly taken?: Set<unknown> },
): Promise<AsyncGenerator<AnyRow[]> | StagedRows | AnyRow[]> {
  const { dataset, newestFirst, taken = new Set() } = given
  if (!isBulk(feed)) return newestOfEachVersion(context, { feed, dataset, newestFirst, taken })
  const [source, more] = newestFirst
  if (more) throw new Error(`${feed.id}: rows that the engine makes are of one fetch at a time`)
  if (!source) return []
  if ('keeps' in source) {
    for (const version of source.keeps) taken.add(version)
    return []
  }
  // A file is of one version, which its period names.
  const { accepted } = source
  if (taken.has(accepted.period)) return []
  taken.add(accepted.period)
  return bulkOf(context, feed, { accepted, bodies: await decodeKept(feed, await readKept(context, accepted)) })
}

/**
 * Rows of a `replace` dataset, from the newest fetch to the oldest: of each version those of the newest fetch with it. Versions in `taken`
 * are those of newer fetches; it gets the ones found here. Rows are read from the raw archive and passed on, so that a version may be
 * larger than memory. Throws where bytes that could be read once cannot be now.
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
    for await (const rows of checkedRows(feed, dataset, bodies, Date.parse(accepted.fetched_at))) {
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
