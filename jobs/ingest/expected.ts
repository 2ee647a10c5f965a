import type { Lake } from '../../lake/open.ts'
import type { ExpectedBlocks, Feed } from '../feeds/define.ts'
import { ruleOf } from './blocks.ts'
import type { IngestContext } from './context.ts'

/** Things that are expected of each block; null where nothing is known. */
type Expected = Readonly<Record<string, number>> | null

/** An answer is not worth longer: without one the publication before is what blocks are judged by. */
const MOST_MS = 10_000
const MOST_BLOCKS = 10_000
/** Answers that are kept of each declaration: feeds that share one are some seconds apart. */
const MOST_KEPT = 4

const kept = new WeakMap<Lake, WeakMap<ExpectedBlocks, Map<string, Promise<Expected>>>>()

/** Things that the lake expects of each block of a feed's publication of a data time (ms), by dataset; only those of which it knows. */
export async function expectedBlocks(
  context: IngestContext,
  feed: Feed,
  dataTime: number,
): Promise<Record<string, Readonly<Record<string, number>>>> {
  const found: Record<string, Readonly<Record<string, number>>> = {}
  for (const { id } of feed.into) {
    const declared = ruleOf(feed, id)?.expected
    const expected = declared && (await expectedAt(context, feed, declared, dataTime))
    if (expected) found[id] = expected
  }
  return found
}

/** The answer for the step that a data time lies in: the one that is kept while neither the step nor a table has changed. */
async function expectedAt(context: IngestContext, feed: Feed, declared: ExpectedBlocks, dataTime: number): Promise<Expected> {
  try {
    const { lake } = context
    const step_ms = declared.every_s * 1000
    const at = Math.floor(dataTime / step_ms) * step_ms
    const snapshots = await Promise.all(declared.from.map((dataset) => lake.snapshot(dataset)))
    if (snapshots.some((snapshot) => !snapshot || snapshot.snapshotId === null)) return null
    const ofLake = kept.get(lake) ?? new WeakMap<ExpectedBlocks, Map<string, Promise<Expected>>>()
    kept.set(lake, ofLake)
    const answers = ofLake.get(declared) ?? new Map<string, Promise<Expected>>()
    ofLake.set(declared, answers)
    const name = [at, ...snapshots.map((snapshot) => snapshot?.snapshotId)].join('/')
    const answer = answers.get(name) ?? ask(lake, declared, at)
    answers.set(name, answer)
    for (const oldest of answers.keys()) {
      if (answers.size <= MOST_KEPT) break
      answers.delete(oldest)
    }
    // One that failed is asked for again by the next publication.
    answer.catch(() => answers.delete(name))
    return await answer
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    context.log.warn({ feed: feed.id, reason }, 'the lake did not tell which blocks to expect; they are judged by the publication before')
    return null
  }
}

async function ask(lake: Lake, { query }: ExpectedBlocks, at: number): Promise<Expected> {
  const rows = await lake.query(query(at), { timeout_ms: MOST_MS, maxRows: MOST_BLOCKS })
  if (rows.length === 0) return null
  return Object.fromEntries(rows.map(({ block, count }) => [String(block), Number(count)]))
}
