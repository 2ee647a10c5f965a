import { expect, onTestFinished, test } from 'vitest'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { listFiles } from '../../../jobs/ingest/archive.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { startPublishers } from '../../../scripts/stand-in/server.ts'
import { openTestContext } from '../../helpers/pipeline.ts'
import { startTestRedis } from '../../helpers/redis.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { tempFolder } from '../../helpers/temp.ts'

const shared = sharedFolder()
const ALL = { from: '0001-01-01', to: '9999-12-31' }
const never = new AbortController().signal
const [madrid, barcelona] = [feedById('madrid_accidents'), feedById('barcelona_accidents')]

test.skipIf(!shared)(
  'the recorded years of both cities land as editions, found by a list of what is recorded',
  { timeout: 120_000 },
  async () => {
    const redis = await startTestRedis()
    onTestFinished(() => redis.stop())
    const publishers = await startPublishers({ source: { kind: 'captures', dir: `${shared}/feeds` } })
    onTestFinished(() => publishers.close())
    const opened = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: publishers.url })
    onTestFinished(() => opened.close())
    const context = { ...opened, mode: 'replay' as const, origin: originOf(publishers.url) }
    const runner = makeRunner(context)
    for (const feed of [madrid, barcelona]) {
      const { files } = await listFiles(context, feed, { range: ALL, signal: never })
      for (const file of files) expect(await runner.takeFile(feed, file, never), file.period).toMatchObject({ outcome: 'accepted' })
      await runner.land(feed, never)
      // No file is taken twice.
      for (const file of files) expect(await runner.takeFile(feed, file, never), file.period).toMatchObject({ outcome: 'unchanged' })
    }
    const rows = await context.lake.query(
      sql`SELECT edition, CAST(count(*) AS INTEGER) AS n, CAST(count(position_lat) AS INTEGER) AS located FROM ${scan(roadAccidents)} GROUP BY edition ORDER BY edition`,
    )
    expect(rows.map(({ edition, n, located }) => [edition, n, located])).toEqual([
      ['barcelona-2012', 9253, 9235],
      ['barcelona-2019', 10_027, 10_027],
      ['barcelona-2022', 7989, 7989],
      ['madrid-2020', 12_634, 0],
      // From January to March.
      ['madrid-2023', 5167, 5166],
      ['madrid-2024', 4989, 4986],
      ['madrid-2025', 7072, 7067],
    ])
  },
)
