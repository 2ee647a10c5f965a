import { landedIn } from '../../../jobs/ingest/tables.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { formatSeqs } from '../../../lake/landed.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { openContext, type ScratchContext } from '../scratch/context.ts'
import { type AppendOrder, type AppendReport, instantOf, rowsOf, SENSORS } from './append-order.ts'
import { startProcess } from './children.ts'
import { removeLeftOvers } from './oracle.ts'
import type { Findings, Scenario } from './scenario.ts'
import { startOwnRedis } from './stage.ts'
import { checkTable } from './whole.ts'

const WRITERS = ['alpha', 'beta'] as const
const APPENDS_PER_ROUND = 25

/**
 * Two processes append to one table while a third compacts it, replaces rows of the first, expires snapshots and removes orphans.
 */
export const writers: Scenario = {
  name: 'writers',
  about: 'two writers of one table, with compaction, replay and expiry running',
  async run({ folder, rounds }) {
    const appends = rounds * APPENDS_PER_ROUND
    const redis = await startOwnRedis(folder)
    const open = (): Promise<ScratchContext> => openContext({ folder, redisUrl: redis.url })
    try {
      const first = await open()
      await prepareTables(first, [trafficReadings])
      await first.close()
      const order: Omit<AppendOrder, 'role' | 'feed'> = { folder, redisUrl: redis.url, appends }
      const upkeep = startProcess<AppendReport>('appender.ts', { ...order, role: 'upkeep', feed: WRITERS[0] })
      const writing = WRITERS.map((feed) => startProcess<AppendReport>('appender.ts', { ...order, role: 'append', feed }))
      const codes = await Promise.all(writing.map(({ ended }) => ended))
      upkeep.go()
      codes.push(await upkeep.ended)
      const [ofUpkeep, ...ofWriters] = [upkeep, ...writing].map(({ reported }) => reported[0])
      if (!ofUpkeep || codes.some((code) => code !== 0)) throw new Error(`processes ended with ${codes.join(', ')}`)
      const after = await open()
      const { problems, detail } = await verdict(after, { appends, corrected: ofUpkeep.corrected })
      await after.close()
      return {
        problems,
        detail: {
          ...detail,
          writers: ofWriters.map((result) => ({ ...result?.done, again: result?.again })),
          upkeep: ofUpkeep.done,
          upkeep_again: ofUpkeep.again,
        },
      }
    } finally {
      await redis.stop()
    }
  },
}

async function verdict(
  context: ScratchContext,
  facts: { readonly appends: number; readonly corrected: AppendReport['corrected'] },
): Promise<Findings> {
  const { appends, corrected } = facts
  const problems = await checkTable(context, trafficReadings)
  for (const feed of WRITERS) {
    const { seqs, until } = await landedIn(context, trafficReadings, feed)
    if (formatSeqs(seqs) !== formatSeqs([[1, appends]]) || until !== instantOf(appends))
      problems.push(`${feed}: the table records ${formatSeqs(seqs)} as landed, of ${appends}`)
  }
  const seqs = Array.from({ length: appends }, (_, at) => at + 1)
  const expected = WRITERS.flatMap((feed) =>
    seqs.flatMap((seq) => rowsOf(feed, seq, feed === WRITERS[0] ? (corrected[seq] ?? null) : null)),
  )
  problems.push(...difference(await rowsIn(context), expected))
  const { removed, problems: left } = await removeLeftOvers(context, [trafficReadings])
  problems.push(...left, ...(await checkTable(context, trafficReadings)), ...difference(await rowsIn(context), expected))
  const present = expected.length / SENSORS
  return { problems, detail: { appends: present, rows: expected.length, corrected: Object.keys(corrected).length, orphans: removed } }
}

function rowsIn(context: ScratchContext): Promise<AnyRow[]> {
  return context.lake.query(sql`SELECT * FROM ${scan(trafficReadings)}`)
}

function difference(rows: readonly AnyRow[], expected: readonly AnyRow[]): string[] {
  const text = (row: AnyRow): string => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))
  const found = new Set(rows.map(text))
  const lacking = expected.filter((row) => !found.has(text(row)))
  if (rows.length === expected.length && lacking.length === 0) return []
  return [`${rows.length} rows of ${expected.length}, ${lacking.length} lacking, such as ${JSON.stringify(lacking[0])}`]
}
