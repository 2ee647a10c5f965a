import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sctSituations } from '../../../jobs/feeds/road/former-incidents.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'

test('the road is the name of a point or of the reference, the province that of the text or of the road', async () => {
  const bytes = readFileSync(fileURLToPath(new URL('../../fixtures/sct_situations/situations.xml', import.meta.url)))
  const { rows } = await parsePublication(sctSituations, [{ name: 'situations', bytes }], Date.UTC(2026, 10, 28, 12))
  expect(rows.get('incidents')).toMatchObject([
    { source: 'sct_situations', road: 'B-20', km: 9, km_to: 7.5, province_code: '08', direction: 'NEGATIVE', type: 'CONGESTION' },
    { road: 'N-340', km: 1160.5, municipality: 'Tarragona', province_code: '43', expected_end_at: Date.UTC(2026, 11, 20, 17) },
    { road: 'GI-682', km: 12, position: null, province_code: '17', measures: [{ kind: 'ROAD_CLOSED' }] },
  ])
})
