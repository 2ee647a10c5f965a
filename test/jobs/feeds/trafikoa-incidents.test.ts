import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { trafikoaIncidents } from '../../../jobs/feeds/road/former-incidents.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import type { incidents } from '../../../lake/datasets/road/incidents.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()
const fixture = readFileSync(fileURLToPath(new URL('../../fixtures/trafikoa_incidents/situations.xml', import.meta.url)))
const read = async (bytes: Buffer): Promise<FeedRow<typeof incidents>[]> => {
  const { rows } = await parsePublication(trafikoaIncidents, [{ name: 'situations', bytes }], Date.UTC(2026, 10, 28, 12))
  return rows.get('incidents') as unknown as FeedRow<typeof incidents>[]
}

test('records of version 1.0 are incidents as those of version 3', async () => {
  const [works, , queue, race, breakdown] = await read(fixture)
  expect(works).toMatchObject({
    ...{ type: 'ROADWORKS', road: 'GI-20', km: 4, km_to: 5.6, direction: 'POSITIVE', province_code: '20' },
    ...{ position: { lat: 43.2874, lon: -2.0021 }, to: { lat: 43.2931, lon: -1.9852 }, severity: 'UNKNOWN' },
  })
  expect(works?.measures).toMatchObject([{ kind: 'LANES_CLOSED' }])
  // A road and a kilometre only; the prefix of the road decides the province.
  expect(queue).toMatchObject({ type: 'CONGESTION', road: 'GI-11', km: 23, position: null, province_code: '20' })
  expect(breakdown).toMatchObject({ type: 'BREAKDOWN', position: null, province_code: null })
  // An end that is its begin is none; traffic that is impossible closes the road.
  expect(race).toMatchObject({ type: 'EVENT', expected_end_at: null, starts_at: Date.UTC(2026, 10, 28, 9), province_code: '01' })
  expect(race?.measures).toMatchObject([{ kind: 'ROAD_CLOSED' }])
})

test.skipIf(!shared)('the four records of the shape that the notes describe', async () => {
  const rows = await read(readFileSync(`${shared}/feeds/trafikoa/situations-shape.xml`))
  expect(rows.map(({ type, road, km, province_code, position }) => [type, road, km, province_code, position !== null])).toEqual([
    ['ROADWORKS', 'N-634', 17, '20', true],
    ['ROADWORKS', 'BI-636', 4, '48', true],
    ['ROADWORKS', 'GI-631', 23, '20', false],
    ['EVENT', 'BI-2101', 26, '48', true],
  ])
})
