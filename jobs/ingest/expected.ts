import type { Lake } from '../../lake/open.ts'
import type { ExpectedGroups, Feed } from '../feeds/define.ts'
import { ruleOf } from './completeness-groups.ts'
import type { IngestContext } from './context.ts'

/** Expected things by block; null if nothing is known. */
type Expected = Readonly<Record<string, number>> | null

/** Time limit of the query: without an answer the previous publication decides. */
const MOST_MS = 10_000
const MOST_BLOCKS = 10_000
/** Cached answers per declaration: feeds that share one are some seconds apart. */
const MOST_KEPT = 4

const kept = new WeakMap<Lake, WeakMap<ExpectedGroups, Map<string, Promise<Expected>>>>()

/** The things that the lake expects in each block at a data time (ms), by dataset; only known blocks. */
export async function expectedGroups(
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

/** The answer for the step of a data time; cached until the step or a table changes. */
async function expectedAt(context: IngestContext, feed: Feed, declared: ExpectedGroups, dataTime: number): Promise<Expected> {
  try {
    const { lake } = context
    const step_ms = declared.every_s * 1000
    const at = Math.floor(dataTime / step_ms) * step_ms
    const snapshots = await Promise.all(declared.from.map((dataset) => lake.snapshot(dataset)))
    if (snapshots.some((snapshot) => !snapshot || snapshot.snapshotId === null)) return null
    const ofLake = kept.get(lake) ?? new WeakMap<ExpectedGroups, Map<string, Promise<Expected>>>()
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
    // The next publication retries a failed query.
    answer.catch(() => answers.delete(name))
    return await answer
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    context.log.warn({ feed: feed.id, reason }, 'could not compute the expected blocks; the previous publication decides instead')
    return null
  }
}

async function ask(lake: Lake, { query }: ExpectedGroups, at: number): Promise<Expected> {
  const rows = await lake.query(query(at), { timeout_ms: MOST_MS, maxRows: MOST_BLOCKS })
  if (rows.length === 0) return null
  return Object.fromEntries(rows.map(({ block, count }) => [String(block), Number(count)]))
}
