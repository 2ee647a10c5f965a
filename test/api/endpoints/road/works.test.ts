import { afterAll, beforeAll, expect, test } from 'vitest'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const now = Date.UTC(2026, 2, 11, 12, 20)
const girona = { province_code: '17', municipality_code: '17079' }
const dated = (at: number): string => new Date(at).toISOString()

let service: TestService
const works = (n: number, values: AnyRow): AnyRow =>
  exampleRow(incidents, {
    ...{ source_id: `w${n}`, incident_id: `inc_w${n}`, type: 'ROADWORKS', updated_at: now - n * HOUR, observed_at: now - n * HOUR },
    ...{ first_seen_at: now - 10 * DAY, starts_at: null, expected_end_at: null, province_code: '28', ...values },
  })
beforeAll(async () => {
  service = await startService({ clock: () => now })
  await service.publish(
    incidents,
    [
      works(0, { starts_at: now - 30 * DAY, expected_end_at: now + 5 * DAY }),
      works(1, { starts_at: now + 2 * DAY, expected_end_at: now + 9 * DAY }),
      // The end that was planned has passed, and the works go on.
      works(2, { starts_at: now - 30 * DAY, expected_end_at: now - DAY, province_code: '15', position: null }),
      works(3, { type: 'ACCIDENT' }),
      works(4, { ...girona, road: 'AP-7', km: 53, km_to: 54, direction: 'BOTH' }),
    ],
    { at: now },
  )
  await service.publish(
    incidents,
    [
      works(5, {
        ...girona,
        source: 'sct',
        road: 'AP-7',
        km: 60,
        km_to: 53,
        direction: 'NEGATIVE',
        remark: 'HORARI: 7 a 15h',
        reported_at: now - DAY,
      }),
    ],
    { at: now, feed: 'sct_incidents' },
  )
})
afterAll(() => service?.close())

const ids = async (query: string): Promise<string[]> =>
  (await service.json(`/api/trafico/obras?${query}`)).works.map((one: Reply) => one.id)

test('works under way and planned, of both sources, doubles once', async () => {
  const reply = await service.json('/api/trafico/obras')
  expect(reply.works.map((one: Reply) => [one.id, one.phase, one.source])).toEqual([
    ['inc_w0', 'ACTIVE', 'dgt'],
    ['inc_w1', 'PLANNED', 'dgt'],
    ['inc_w2', 'ACTIVE', 'dgt'],
    ['inc_w5', 'ACTIVE', 'sct'],
  ])
  expect(reply.works[3]).toMatchObject({ remark: 'HORARI: 7 a 15h', reported_at: dated(now - DAY), province: 'Girona' })
  expect(reply.works[0]).toMatchObject({ remark: null, reported_at: null })
  expect(reply.meta.sources.map((one: Reply) => one.id)).toEqual(['dgt', 'sct', 'trafikoa', 'sct_situations', 'mallorca', 'miteco', 'ign'])
  // The list of incidents shows it once, too; its own path still has it.
  expect((await service.json('/api/incidents')).incidents.map((one: Reply) => one.id)).toEqual([
    'inc_w0',
    'inc_w1',
    'inc_w2',
    'inc_w3',
    'inc_w5',
  ])
  expect(await service.json('/api/incidents/inc_w4')).toMatchObject({ id: 'inc_w4', status: 'ACTIVE' })
})

test.each([
  ['province=Girona', ['inc_w5']],
  ['phase=PLANNED', ['inc_w1']],
  ['phase=active', ['inc_w0', 'inc_w2', 'inc_w5']],
  ['road=AP7&km_from=55', ['inc_w5']],
  ['bbox=-4,36,-3,37', ['inc_w0', 'inc_w1', 'inc_w5']],
  [`to=${dated(now)}`, ['inc_w0', 'inc_w2', 'inc_w5']],
  [`from=${dated(now + 5 * DAY)}`, ['inc_w1', 'inc_w2', 'inc_w5']],
  [`from=${dated(now + 9 * DAY)}`, ['inc_w2', 'inc_w5']],
  [`from=${dated(now - 40 * DAY)}&to=${dated(now - 20 * DAY)}`, ['inc_w0', 'inc_w2']],
  ['ids=inc_w1,inc_w3,inc_w4', ['inc_w1']],
  ['sort=-starts_at&limit=1', ['inc_w1']],
])('%s', async (query, expected) => {
  expect(await ids(query)).toEqual(expected)
})

test('a period that ends before it begins is refused', async () => {
  const response = await service.get('/api/trafico/obras?from=2026-03-02&to=2026-03-01')
  expect(await response.json()).toMatchObject({ status: 400, errors: [{ parameter: 'from' }] })
})
