import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { railAlerts } from '../../../../lake/datasets/rail/alerts.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { until } from '../../../helpers/until.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'
import { landTimetable, NOON, type Run } from './train-rows.ts'

const TODAY = '2026-11-17'
const HOUR = 3_600_000
const none = { nucleo_codes: [], lines: [], hashtags: [], route_ids: [], stop_ids: [], trip_ids: [] }

/** An alert that trip updates report. */
function derived(id: string, values: AnyRow): AnyRow {
  return exampleRow(railAlerts, {
    ...none,
    ...{ source_id: id, alert_id: `ral_${id}`, kind: 'CANCELLED', derived: true, service_date: TODAY, delay_s: null, updated_at: NOON },
    text_es: `Tren ${values['train_number']}: suprimido.`,
    translations: [
      { language: 'en', text: `Train ${values['train_number']}: cancelled.` },
      { language: 'es', text: `Tren ${values['train_number']}: suprimido.` },
    ],
    ...values,
  })
}
const commuter = { network: 'CERCANIAS', nucleo_codes: ['10'], lines: ['C3'] }
const long = { network: 'AVLDMD' }

const alerts = [
  exampleRow(railAlerts, { ...none, source_id: 'AVISO_1', alert_id: 'ral_notice', stop_ids: ['00002'], kind: 'NOTICE', derived: false }),
  derived('commuter', { ...commuter, train_number: '90001', trip_ids: ['1041M90001C3'] }),
  // A trip that no timetable has.
  derived('added', { ...commuter, train_number: '90009', trip_ids: ['SPECIAL_10_90009C3'] }),
  // It ran yesterday, and past midnight.
  derived('yesterday', { ...commuter, train_number: '90002', trip_ids: ['1041L90002C3'], service_date: '2026-11-16' }),
  // Under the id of the night before; the first of its parts is late.
  derived('late', {
    ...{ ...long, kind: 'DELAY', train_number: '09001', trip_ids: ['0900112026-11-16'], delay_s: 600 },
    text_es: 'Tren 09001: 10 min de retraso.',
  }),
  derived('whole', { ...long, train_number: '09002', trip_ids: ['0900212026-11-17', '0900222026-11-17'] }),
  // After its arrival, by the whole minutes of its delay; and one that is kept from before that, because its network is missing.
  derived('arrived', { ...commuter, kind: 'DELAY', train_number: '90003', trip_ids: ['1041M90003C3'], delay_s: 600 }),
  derived('kept', {
    ...{ ...commuter, kind: 'DELAY', train_number: '90003', trip_ids: ['1041M90003C3'], delay_s: 600 },
    ...{ is_stale: true, updated_at: NOON - HOUR },
  }),
  // Its number runs, but not on its day.
  derived('other-day', { ...long, train_number: '09002', trip_ids: ['0900212026-11-17'], service_date: '2026-11-18' }),
]

const run = (trip_id: string, train_number: string, stops: Run['stops'], more: AnyRow = {}): Run => ({
  ...{ trip_id, train_number, service_id: 's', stops },
  ...more,
})
const at = (stop_id: string, hour: number): readonly [string, number, number] => [stop_id, hour, hour]

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOON })
  await service.publish(railAlerts, alerts, { at: NOON })
})
afterAll(() => service?.close())

/** The alerts of a reply; none while there is no reply yet. */
const idsOf = (reply: Reply): string[] => (reply.alerts ?? []).map(({ id }: Reply) => id)
const found = async (query: string): Promise<string[]> => idsOf(await service.json(`/api/trenes/alertas?${query}`))

test('before any timetable has arrived alerts are there as they were published', async () => {
  expect(await found('kind=CANCELLED')).toEqual(['ral_added', 'ral_commuter', 'ral_other-day', 'ral_whole', 'ral_yesterday'])
  expect(await service.json('/api/trenes/alertas/ral_commuter')).toMatchObject({ lines: ['C3'], stop_ids: [], route_ids: [], origin: null })
})

describe('with the timetable of their service day', () => {
  beforeAll(async () => {
    await landTimetable(
      service,
      { network: 'CERCANIAS', from: '2026-11-10', route: { route_id: '10T0001C3', short_name: 'C3', nucleo_code: '10' } },
      { s: [TODAY], y: ['2026-11-16'] },
      [
        run('1041M90001C3', '90001', [at('00001', 12), at('00002', 13), at('00003', 14)]),
        run('1041M90003C3', '90003', [at('00001', 9), at('00007', 10.5), at('00003', 11)]),
        run('1041L90002C3', '90002', [at('00003', 23), at('00004', 25)], { service_id: 'y' }),
      ],
    )
    await landTimetable(
      service,
      { network: 'AVLDMD', from: '2026-11-10', route: { route_id: '0000100005AVE', short_name: 'AVE', nucleo_code: null } },
      { s: [TODAY] },
      [
        run('0900112026-11-17', '09001', [at('00001', 12), at('00005', 15)], {
          variant: '1',
          nucleo_code: null,
          route_id: '0000100005AVE',
        }),
        run('0900122026-11-17', '09001', [at('00001', 12), at('00006', 16)], {
          variant: '2',
          nucleo_code: null,
          route_id: '0000100005AVE',
        }),
        run('0900212026-11-17', '09002', [at('00005', 12), at('00002', 14)], {
          variant: '1',
          nucleo_code: null,
          route_id: '0000100005AVE',
        }),
        run('0900222026-11-17', '09002', [at('00006', 11), at('00005', 12), at('00002', 14)], {
          ...{ variant: '2', nucleo_code: null },
        }),
      ],
    )
    await until('joined', async () => (await found('station=00006')).length > 0)
  })

  test.each([
    ['station=00001', ['ral_added', 'ral_commuter', 'ral_late']],
    // One that names no station, but a line that stops there.
    ['station=00002', ['ral_added', 'ral_commuter', 'ral_notice', 'ral_whole']],
    ['station=00002&kind=CANCELLED', ['ral_added', 'ral_commuter', 'ral_whole']],
    ['station=00004', ['ral_added', 'ral_yesterday']],
    ['line=AVE', ['ral_late', 'ral_whole']],
    ['line=AVE,C3&kind=CANCELLED', ['ral_added', 'ral_commuter', 'ral_whole', 'ral_yesterday']],
    // The part that is not late goes there.
    ['station=00006', ['ral_whole']],
  ])("they are found by their train's stops and kind: %s", async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test('they name its route, stations and ends; a train missing in the timetable of the day names none', async () => {
    const { alerts: listed } = await service.json('/api/trenes/alertas')
    const one = (id: string): Reply => listed.find((alert: Reply) => alert.id === `ral_${id}`)
    expect(one('commuter')).toMatchObject({
      ...{ lines: ['C3'], products: [], route_ids: ['10T0001C3'], stop_ids: ['00001', '00002', '00003'] },
      ...{ origin_id: '00001', origin: 'Station 00001', destination_id: '00003', destination: 'Station 00003' },
    })
    expect(one('whole')).toMatchObject({
      ...{ lines: [], products: ['AVE'], stop_ids: ['00002', '00005', '00006'], origin_id: '00006', destination_id: '00002' },
    })
    expect(one('late')).toMatchObject({ stop_ids: ['00001', '00005'], destination: 'Station 00005' })
    const bare = { products: [], route_ids: [], stop_ids: [], origin_id: null, origin: null, destination_id: null, destination: null }
    expect(one('added')).toMatchObject({ ...bare, lines: ['C3'] })
    expect(one('other-day')).toMatchObject(bare)
    expect(one('notice')).toMatchObject({ ...bare, stop_ids: ['00002'] })
    expect(await service.json('/api/trenes/alertas/ral_whole')).toMatchObject({ ...one('whole'), ended_at: null })
  })

  test('a late train that has no station ahead concerns none, nor every one of its line', async () => {
    const { alerts: listed } = await service.json('/api/trenes/alertas?kind=DELAY')
    expect(listed.map(({ id, stop_ids }: Reply) => [id, stop_ids])).toEqual([
      ['ral_arrived', []],
      ['ral_kept', ['00003']],
      ['ral_late', ['00001', '00005']],
    ])
    expect(await found('station=00007')).toEqual(['ral_added'])
    expect(await found('line=C3&kind=DELAY')).toEqual(['ral_arrived', 'ral_kept'])
  })

  test('a station and a route have them behind their notices, in the requested language', async () => {
    const alertsOf = async (path: string): Promise<string[][]> =>
      (await service.json(path)).alerts.map(({ id, scope, text }: Reply) => [id, scope, text])
    expect(await alertsOf('/api/trenes/estaciones/00002?lang=en')).toEqual([
      ['ral_notice', 'STATION', railAlerts.columns.text_es.example],
      ['ral_commuter', 'STATION', 'Train 90001: cancelled.'],
      ['ral_whole', 'STATION', 'Train 09002: cancelled.'],
      ['ral_added', 'LINE', 'Train 90009: cancelled.'],
    ])
    expect(await alertsOf('/api/trenes/rutas/10T0001C3')).toEqual([
      ['ral_arrived', 'ROUTE', 'Tren 90003: suprimido.'],
      ['ral_commuter', 'ROUTE', 'Tren 90001: suprimido.'],
      ['ral_kept', 'ROUTE', 'Tren 90003: suprimido.'],
      ['ral_yesterday', 'ROUTE', 'Tren 90002: suprimido.'],
      ['ral_added', 'LINE', 'Tren 90009: suprimido.'],
    ])
    const basque = await service.get('/api/trenes/rutas/10T0001C3?lang=eu')
    expect(basque.headers.get('content-language')).toBe('eu')
    expect(((await basque.json()) as Reply).alerts[0]).toMatchObject({ text: 'Tren 90003: suprimido.', text_language: 'es' })
  })

  test('the list of alerts and the reply of each station have the same', async () => {
    for (const { id } of (await service.json('/api/trenes/estaciones')).stations) {
      const own = idsOf(await service.json(`/api/trenes/estaciones/${id}`))
      expect([id, await found(`station=${id}`)]).toEqual([id, own.toSorted()])
    }
    // An alert of several stations is listed once.
    expect(await found('station=00004,00006')).toEqual(['ral_added', 'ral_whole', 'ral_yesterday'])
  })

  test('a past one of long distance is found by the product that its train had', async () => {
    const ended = { status: 'ENDED', observed_at: NOON - HOUR, updated_at: NOON - HOUR, last_seen_at: NOON - 2 * HOUR }
    const first = { first_seen_at: NOON - 4 * HOUR, observed_at: NOON - 4 * HOUR, active_from: null, is_baseline: false }
    const lives = alerts.flatMap(({ is_stale: _stale, ...row }) => [
      exampleTableRow(railAlerts, { ...row, ...first }),
      exampleTableRow(railAlerts, { ...row, ...first, ...ended }),
    ])
    await service.land(railAlerts, lives, NOON)
    const past = async (query: string): Promise<string[][]> =>
      (await service.json(`/api/trenes/alertas/historico?${query}`)).alerts.map((one: Reply) => [one.id, ...one.products]).sort()
    expect(await past('line=AVE')).toEqual([
      ['ral_late', 'AVE'],
      ['ral_other-day', 'AVE'],
      ['ral_whole', 'AVE'],
    ])
    expect(await past('line=AVE,C3&kind=CANCELLED')).toEqual([
      ...[['ral_added'], ['ral_commuter'], ['ral_other-day', 'AVE'], ['ral_whole', 'AVE'], ['ral_yesterday']],
    ])
    expect((await past('network=CERCANIAS')).flat().filter((text) => text === 'AVE')).toEqual([])
    expect(await service.json('/api/trenes/alertas/historico?line=ALVIA')).toMatchObject({ status: 400, errors: [{ parameter: 'line' }] })
  })

  test('a publication without them has them no more; its answers are those of its timetable', async () => {
    const before = (await service.get('/api/trenes/alertas')).headers.get('etag')
    await service.publish(railAlerts, alerts.slice(0, 2), { at: NOON + 20_000 })
    expect(await found('line=AVE')).toEqual([])
    expect((await service.get('/api/trenes/alertas')).headers.get('etag')).not.toBe(before)
  })
})
