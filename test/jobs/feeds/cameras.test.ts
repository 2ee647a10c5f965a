import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { imageLink } from '../../../jobs/feeds/road/camera-links.ts'
import { isDesignation } from '../../../jobs/feeds/road/designation.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import type { cameras, speedCameras } from '../../../lake/datasets/road/cameras.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { deepTest } from '../../helpers/tier.ts'
import { counts } from './dgt-documents.ts'

type Camera = FeedRow<typeof cameras>
type SpeedCamera = FeedRow<typeof speedCameras>

const shared = sharedFolder()
const AT = Date.parse('2026-11-01T00:00:00Z')

/** The rows of a capture, its warnings, and the numbers of rejected records and unknown codes. */
async function captured<R>(feed: string, file: string): Promise<{ rows: readonly R[]; warnings: object; bad: object }> {
  const stored = readFileSync(`${shared}/feeds/${file}`)
  const bytes = file.endsWith('.gz') ? gunzipSync(stored) : stored
  const { rows, report } = await parsePublication(feedById(feed), [{ name: 'document', bytes }], AT)
  const { quarantined, unknownCodes, warnings } = report
  return {
    rows: [...rows.values()][0] as unknown as readonly R[],
    warnings: Object.fromEntries(warnings),
    bad: { ...quarantined, ...unknownCodes },
  }
}

;(shared ? deepTest : test.skip)(
  'the capture of DGT of February 2026: 1,902 cameras, each with the link made from its number',
  async () => {
    const { rows, bad } = await captured<Camera>('dgt_cameras', 'dgt-camaras/camaras_datex2_v36_20260222T010001+0100.xml.gz')
    expect(bad).toEqual({})
    expect(counts(rows.map(({ direction }) => direction))).toEqual({ NEGATIVE: 945, POSITIVE: 887, BOTH: 70 })
    expect(rows.filter(({ destination }) => destination !== null)).toHaveLength(1004)
    expect(rows.filter(({ province_code }) => province_code === '20')).toHaveLength(3)
    expect(rows.filter(({ position, province_code, road, km }) => !position || !province_code || road === null || km === null)).toEqual([])
    expect(rows.map(({ image_url }) => image_url)).toEqual(
      rows.map(({ camera_id }) => `https://etraffic.dgt.es/camarasEtraffic/${camera_id}.jpg`),
    )
  },
)

test.skipIf(!shared)('the capture of SCT of 2017: of 104 records 8 are in Andorra and 6 repeat a link', async () => {
  const { rows, warnings, bad } = await captured<Camera>('sct_cameras', 'sct-cameres/cameres_wfs_201702.xml')
  expect(bad).toEqual({})
  expect(warnings).toEqual({ 'a camera in Andorra: left out': 8, 'another camera with the same link: left out': 6 })
  // 64 of SCT, 6 of them repeated; their query names the image.
  expect(counts(rows.map(({ operator }) => operator))).toEqual({ SCT: 58, IMI: 25, Terrassa: 7 })
  expect(new Set(rows.map(({ camera_id }) => camera_id)).size).toBe(90)
  expect(rows.filter(({ image_url, position }) => image_url === null || position === null)).toEqual([])
  expect(rows.find(({ camera_id }) => camera_id === 'nc87')).toMatchObject({ road: 'C-58', km: 0.5, name: 'Nus Trinitat' })
})

test.skipIf(!shared)("the capture of Madrid of 2018: 243 cameras, with links to today's host", async () => {
  const { rows, warnings, bad } = await captured<Camera>('madrid_cameras', 'madrid-camaras/CCTV_201802.kml')
  expect([warnings, bad]).toEqual([{}, {}])
  expect(rows).toHaveLength(243)
  expect(rows.filter(({ municipality_code }) => municipality_code !== '28079')).toEqual([])
  expect(rows[0]).toMatchObject({ name: 'PLAZA DE CASTILLA (NORTE)', image_url: 'https://informo.madrid.es/cameras/Camara00001.jpg' })
})

test.skipIf(!shared)('the captures of DGT: 13 locations, 3 of them sections whose end comes first', async () => {
  const stem = 'dgt-radares/radares_datex2_v1_20251218T095652+0100'
  const files = [`${stem}.excerpt6.xml`, `${stem}.navarra-excerpt7.xml`]
  const all = await Promise.all(files.map((file) => captured<SpeedCamera>('dgt_speed_cameras', file)))
  expect(all.map(({ warnings, bad }) => [warnings, bad])).toEqual(files.map(() => [{}, {}]))
  const rows = all.flatMap((one) => one.rows)
  expect(counts(rows.map(({ type }) => type))).toEqual({ SECTION: 3, FIXED: 10 })
  expect(counts(rows.map(({ province_code }) => province_code))).toEqual({ 30: 4, 31: 7, 50: 2 })
  const shown = rows
    .filter(({ km_to }) => km_to !== null)
    .map(({ road, km, km_to, direction, position }) => [road, km, km_to, direction, position?.lat])
  expect(shown).toEqual([
    ['Z-40', 26.6, 29.7, 'POSITIVE', 41.6088],
    ['A-7', 636.053, 634.5, 'NEGATIVE', 37.67441],
    ['A-7', 634.615, 635.951, 'POSITIVE', 37.67964],
  ])
  expect(rows.find(({ km }) => km === 32.56)?.road).toBe('N-121-A')
  expect(rows.filter(({ name }) => name !== null).map(({ name }) => name)).toEqual(['N-121a 25+900D', 'N-121a 60+230c'])
})

test.skipIf(!shared)("the captures of SCT's lists: sections, a lost comma, a digit too many, one line twice, trailers", async () => {
  const { rows, warnings, bad } = await captured<SpeedCamera>('sct_speed_cameras', 'sct-radars/radars_20260917.excerpt14.txt')
  expect(bad).toEqual({})
  expect(warnings).toEqual({
    'a line that repeats another: left out': 1,
    'X and Y are no position in Catalonia: left out': 1,
    'X or Y has lost its comma: mended': 2,
  })
  expect(counts(rows.map(({ type }) => type))).toEqual({ FIXED: 7, SECTION: 6 })
  expect(rows.filter(({ position }) => position === null).map(({ speed_camera_id }) => speed_camera_id)).toEqual(['A-2_501.5-506.5'])
  expect(rows.find(({ road }) => road === 'B-10')).toMatchObject({ km: 18.5, municipality: "L'Hospitalet de Llobregat" })
  expect(rows.filter(({ road }) => road === 'C-32').map(({ source_direction }) => source_direction)).toEqual(['nord', 'sud'])
  const trailers = await captured<SpeedCamera>('sct_mobile_speed_cameras', 'sct-radars/radars-remolc_202610.excerpt8.txt')
  expect([trailers.warnings, trailers.bad]).toEqual([{}, {}])
  expect(trailers.rows.map(({ type, speed_limit_kmh }) => `${type} ${speed_limit_kmh}`)).toEqual(
    ['120', '100', '120', '120', '80', '100', '90', '80'].map((limit) => `MOBILE_SITE ${limit}`),
  )
})

test.skipIf(!shared)("Madrid's lists: 36 cameras of 2025, and 29 in the layout of 2024 without limits", async () => {
  const { rows, warnings, bad } = await captured<SpeedCamera>('madrid_speed_cameras', 'madrid-radares/RADARES_FIJOS_vDTT.csv')
  expect([warnings, bad]).toEqual([{}, {}])
  expect(counts(rows.map(({ type }) => type))).toEqual({ FIXED: 27, SECTION: 9 })
  expect(counts(rows.map(({ speed_limit_kmh }) => String(speed_limit_kmh)))).toEqual({ 50: 10, 70: 17, 90: 9 })
  expect(rows.filter(({ position, to, type }) => position === null || (to !== null) !== (type === 'SECTION'))).toEqual([])
  const older = await captured<SpeedCamera>('madrid_speed_cameras', 'catalogos/madrid-radares/radares_madrid.csv')
  expect(counts(older.rows.map(({ type }) => type))).toEqual({ FIXED: 26, SECTION: 3 })
  // One cell of `Tipo` is shifted.
  expect(older.bad).toEqual({ madrid_tipo: { Salida: 1 } })
})

test.each([
  ['http://mct.gencat.cat/a.jpg?b=1#c', 'http://mct.gencat.cat/a.jpg?b=1'],
  [' http://www.bcn.cat/a.gif \r\n', 'https://www.bcn.cat/a.gif'],
  ['https://mct.gencat.cat/a.jpg', 'https://mct.gencat.cat/a.jpg'],
  ['http://mct.gencat.cat:8080/a.jpg', null],
  ['http://me@mct.gencat.cat/a.jpg', null],
  ['http://mct.gencat.cat.example.org/a.jpg', null],
  ['http://constructor/a.jpg', null],
  ['javascript:alert(1)//mct.gencat.cat', null],
  ['//mct.gencat.cat/a.jpg', null],
])('the link %j is %j', (text, link) => {
  expect(imageLink(text, { 'mct.gencat.cat': { hasHttps: false }, 'www.bcn.cat': { hasHttps: true } })?.href ?? null).toBe(link)
})

test('designations of roads differ from names of streets', () => {
  const all = [
    'A-2',
    'A5',
    'N-II',
    'BV-1462',
    'C-58cc',
    'N-121-A',
    'TF-1',
    'Balmes - Mitre',
    'Meridiana',
    'PASEO DE LA CASTELLANA',
    'Plaça 2',
    'CG1 (PONT',
  ]
  expect(all.filter(isDesignation)).toEqual(all.slice(0, 7))
})
