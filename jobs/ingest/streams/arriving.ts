import { publishLive } from '../../../lake/live/write.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { entityKey } from '../../../lake/schema/rows.ts'
import { ruleOf } from '../completeness-groups.ts'
import type { IngestContext } from '../context.ts'
import { type DatasetState, type Entry, liveRow, liveRows, observation } from '../fold.ts'
import type { FeedMemory } from '../memory.ts'
import { parsePublication } from '../parse.ts'
import { STREAM_BODY } from './follow.ts'

/** Observations of a stream that were received but not yet accepted: the newest of each thing, by dataset. */
export type Arriving = Map<string, Map<string, Entry>>

/**
 * Shows arriving frames in current state, on top of accepted data, until the next accepted file replaces them with the same
 * observations. Only `append` datasets are shown early, and only after a first file was accepted.
 */
export async function showArriving(
  context: IngestContext,
  memory: FeedMemory,
  given: { readonly arriving: Arriving; readonly bytes: Buffer; readonly at: number },
): Promise<void> {
  const { feed, last, seq } = memory
  const { arriving, bytes, at } = given
  if (!last) return
  const { rows } = await parsePublication(feed, [{ name: STREAM_BODY, bytes }], at)
  for (const { dataset, state, landed } of memory.parts.values()) {
    if (!dataset.live || dataset.writeMode !== 'append') continue
    const entries = arriving.get(dataset.id) ?? new Map<string, Entry>()
    arriving.set(dataset.id, entries)
    for (const row of rows.get(dataset.id) ?? []) {
      const [key, entry] = [entityKey(dataset, row), observation(dataset, row, at)]
      if ((entries.get(key)?.updated_at ?? 0) < entry.updated_at) entries.set(key, entry)
    }
    await publishLive(context.redis, {
      dataset: dataset.id,
      feed: feed.id,
      seq,
      fetch_id: last.fetch_id,
      data_time: at,
      fetched_at: at,
      missing: state.blocks.missing,
      rows: shownRows(dataset, state, { entries, rule: ruleOf(feed, dataset.id) }),
      changes: [],
      // The state of the accepted file, replaced by one with more.
      rebuild: true,
      rebuilds: landed.rebuilds,
    })
  }
}

function* shownRows(
  dataset: Dataset,
  state: DatasetState,
  { entries, rule }: { readonly entries: ReadonlyMap<string, Entry>; readonly rule: ReturnType<typeof ruleOf> },
): ReturnType<typeof liveRows> {
  for (const [key, row] of liveRows(dataset, state, rule)) if (!isNewer(entries.get(key), row.updated_at)) yield [key, row]
  for (const [key, entry] of entries)
    if (isNewer(entry, state.entries.get(key)?.updated_at ?? 0)) yield [key, liveRow(dataset, entry, entry.seen_at)]
}

const isNewer = (entry: Entry | undefined, than: number): boolean => entry !== undefined && entry.updated_at > than
