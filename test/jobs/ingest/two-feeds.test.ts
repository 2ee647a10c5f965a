import { afterAll, beforeAll, expect } from 'vitest'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { readPart } from '../../../lake/live/parts.ts'
import { decodeSnapshot } from '../../../lake/live/snapshot.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { ABSENCES } from '../../../lake/schema/dataset.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { type Publishers, startPublishers } from '../../../scripts/stand-in/server.ts'
import { openTestContext, type TestContext } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'

const never = new AbortController().signal
const [dgt, sct] = [feedById('dgt_incidents'), feedById('sct_incidents')]

let redis: TestRedis
let publishers: Publishers
let context: TestContext
let runner: Runner

beforeAll(async () => {
  redis = await startTestRedis()
  publishers = await startPublishers({ source: { kind: 'simulated', speed: 0, start: Date.UTC(2026, 2, 11, 10), seed: 5, scale: 'small' } })
  const opened = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '', now: () => publishers.now() })
  context = { ...opened, origin: originOf(publishers.url) }
  runner = makeRunner(context)
  for (const feed of [dgt, sct]) expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'accepted' })
})
afterAll(async () => {
  await context.close()
  await publishers.close()
  await redis.stop()
})

/** Fetches a feed with a quarter of its records missing, until absence counts as the end. */
async function thin(feed: typeof dgt): Promise<void> {
  publishers.setFault({ feed: feed.id, fault: 'half_empty', share: 0.75 })
  for (let nth = 0; nth < ABSENCES; nth++) {
    publishers.advance(60_000)
    expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'accepted' })
  }
  publishers.clearFaults()
}

/** Sources of a feed's incidents in live state. */
async function sourcesOf(feed: typeof dgt): Promise<string[]> {
  const { bytes } = await readPart(context.redis, incidents.id, feed.id)
  const rows = bytes ? [...(await decodeSnapshot(bytes)).rows] : []
  return [...new Set(rows.map((row) => String(row['source'])))]
}

/** Active incidents by source in live state, part by part, and ended ones by source and feed in the table. */
async function counts(): Promise<{ live: readonly (readonly string[])[]; ended: Record<string, number> }> {
  for (const feed of [dgt, sct]) await runner.land(feed, never)
  const live = await Promise.all([dgt, sct].map(sourcesOf))
  const rows = await context.lake.query(
    sql`SELECT source || ' by ' || split_part(fetch_id, '.', 1) AS what, count(*) AS n FROM ${scan(incidents, { status: { eq: 'ENDED' } })} GROUP BY ALL`,
  )
  return { live, ended: Object.fromEntries(rows.map((row) => [row['what'], Number(row['n'])])) }
}

deepTest('a thing that vanishes from one feed never ends in the other', async () => {
  expect(await counts()).toEqual({ live: [['dgt'], ['sct']], ended: {} })
  await thin(sct)
  const first = await counts()
  expect(Object.keys(first.ended)).toEqual(['sct by sct_incidents'])
  expect(first.ended['sct by sct_incidents']).toBeGreaterThan(20)
  expect(first.live).toEqual([['dgt'], ['sct']])
  await thin(dgt)
  const second = await counts()
  expect(second.ended['sct by sct_incidents']).toBe(first.ended['sct by sct_incidents'])
  expect(second.ended['dgt by dgt_incidents']).toBeGreaterThan(15)
  expect(Object.keys(second.ended)).toHaveLength(2)
  // A worker that restarts and takes its memory from the one table distinguishes them, too.
  runner = makeRunner(context)
  for (const feed of [dgt, sct]) {
    publishers.advance(60_000)
    expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'accepted' })
  }
  const third = await counts()
  expect(Object.keys(third.ended).sort()).toEqual(['dgt by dgt_incidents', 'sct by sct_incidents'])
  // A returned thing goes on, and in two minutes hardly anything ends by itself.
  for (const [what, count] of Object.entries(third.ended)) expect(count - (second.ended[what] ?? 0), what).toBeLessThan(8)
  expect(third.live).toEqual([['dgt'], ['sct']])
})
