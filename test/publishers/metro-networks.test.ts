import { expect, test } from 'vitest'
import { feedById } from '../../jobs/feeds/catalog.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import { originOf } from '../../scripts/commands/parts.ts'
import { standIn } from './helpers.ts'

test.each([
  ['metro_malaga_gtfs', 1],
  ['metrovalencia_gtfs', 2],
  ['tram_alicante_gtfs', 1],
  ['mallorca_gtfs', 2],
  ['metro_ligero_gtfs', 1],
] as const)('%s is served at each of its %i addresses, also in two steps', async (id, plans) => {
  await using publishers = await standIn({ scale: 'small' })
  const feed = feedById(id)
  expect(feed.plans).toHaveLength(plans)
  const read = async (url: string): Promise<Buffer> => {
    const response = await fetch(originOf(publishers.url)(url))
    expect([url, response.status]).toEqual([url, 200])
    return Buffer.from(await response.arrayBuffer())
  }
  for (const { requests } of feed.plans)
    for (const { url, twoStep } of requests) {
      const first = await read(url)
      const step = twoStep?.to(first)
      const bytes = step && 'url' in step ? await read(step.url) : first
      const { counts, report } = await parsePublication(feed, [{ name: 'timetable', bytes }], publishers.now())
      expect(report).toMatchObject({ quarantined: {}, unknownCodes: {} })
      expect(counts.get('rail_routes')).toBeGreaterThanOrEqual(feed.bands['rail_routes']?.atLeast ?? 1)
    }
})
