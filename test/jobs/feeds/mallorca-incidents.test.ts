import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { mallorcaIncidents } from '../../../jobs/feeds/road/mallorca-incidents.ts'
import { warningLines } from '../../../jobs/ingest/diagnostics.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import type { incidents } from '../../../lake/datasets/road/incidents.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'

const layer = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../fixtures/mallorca_incidents/layers.parts/${name}.json`, import.meta.url)), 'utf8')
const read = async (change: (text: string) => string = (text) => text) => {
  const bodies = ['icon', 'tram'].map((name) => ({ name, bytes: Buffer.from(change(layer(name))) }))
  const { rows, report } = await parsePublication(mallorcaIncidents, bodies, Date.UTC(2026, 10, 28, 12))
  return { rows: (rows.get('incidents') ?? []) as unknown as FeedRow<typeof incidents>[], report }
}

test('points have the properties, lines the far end; what has not begun is no incident yet', async () => {
  const { rows, report } = await read()
  expect(rows.map(({ source_id }) => source_id)).toEqual(['30001', '30002', '30003'])
  const [works, maintenance, other] = rows
  expect(works).toMatchObject({
    ...{ type: 'ROADWORKS', road: 'Ma-13', km: 41.2, km_to: null, direction: 'POSITIVE', province_code: '07', to: null },
    ...{ starts_at: Date.UTC(2026, 10, 3, 8), expected_end_at: Date.UTC(2026, 11, 20, 14), reported_at: Date.UTC(2026, 10, 2, 12, 52) },
    remark: 'TALL DEL CARRIL DRET, cada dia laborable de 9 a 15 hores',
  })
  expect(works?.measures).toMatchObject([{ kind: 'LANES_CLOSED' }])
  expect(maintenance).toMatchObject({ km: 28.4, km_to: 30.1, direction: 'BOTH', to: { lat: 39.7722, lon: 2.6764 } })
  // An end that is its beginning is none.
  expect(other).toMatchObject({ type: 'OTHER', direction: 'NEGATIVE', expected_end_at: null, remark: null })
  expect(other?.measures).toMatchObject([{ kind: 'ROAD_CLOSED' }])
  expect(warningLines(report)).toEqual(['fin is not after inici: end taken as unknown'])
})

test('metres as degrees are refused, unknown codes are counted', async () => {
  await expect(read((text) => text.replace('[3.1102,39.8211]', '[509469.68,4411136.84]'))).rejects.toThrow(
    '509469.68, 4411136.84 is not in degrees',
  )
  const { rows, report } = await read((text) => text.replace('"Altres"', '"Cursa"').replace('"Tancada"', '"Pas tallat"'))
  expect(rows[2]).toMatchObject({ type: 'OTHER', source_type: 'Cursa' })
  expect(Object.assign({}, ...Object.values(report.unknownCodes))).toEqual({ Cursa: 1, 'Pas tallat': 1 })
})
