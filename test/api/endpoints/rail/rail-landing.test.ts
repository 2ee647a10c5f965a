import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { railRoutes, railStations } from '../../../../lake/datasets/rail/timetable.ts'
import { scan } from '../../../../lake/query/scan.ts'
import { sql } from '../../../../lake/query/sql.ts'
import { madridDate } from '../../../../lake/schema/time.ts'
import { until } from '../../../helpers/until.ts'
import { type Reply, startService, type TestService } from '../../service.ts'
import { landTimetable } from './rail-golden.ts'

const DAY = '2026-05-04'
const NOW = Date.parse('2026-05-05T08:00:00Z')
const COMMUTER = 'renfe_gtfs_cercanias'
const OTHER = 'renfe_gtfs_avldmd'

interface Begun {
  readonly service: TestService
  /** A station and a route of the timetable. */
  readonly station: string
  readonly route: string
}

/** A service in which the timetable of one feed has landed. */
async function begun(feed: string): Promise<Begun> {
  const service = await startService({ clock: () => NOW })
  await landTimetable(service, { feed, day: DAY })
  const [station] = await service.lake.query(sql`SELECT stop_id FROM ${scan(railStations)} ORDER BY stop_id LIMIT 1`)
  const [route] = await service.lake.query(sql`SELECT route_id FROM ${scan(railRoutes)} ORDER BY route_id LIMIT 1`)
  await until('landed', async () => (await service.get(`/api/trenes/rutas/${route?.['route_id']}`)).status === 200)
  return { service, station: String(station?.['stop_id']), route: String(route?.['route_id']) }
}

/** Status, and the code of a problem. */
async function reply({ service }: Begun, path: string): Promise<string> {
  const response = await service.get(`/api/trenes/${path}`)
  const { code } = (await response.json()) as Reply
  return `${response.status}${code ? ` ${code}` : ''}`
}

const OUT = '404 no-data-yet'
const GONE = '404 not-found'

/** Services with one of the timetables each, and with both. */
let commuter: Begun
let other: Begun
let both: Begun
beforeAll(async () => {
  commuter = await begun(COMMUTER)
  other = await begun(OTHER)
  both = await begun(COMMUTER)
  await landTimetable(both.service, { feed: OTHER, day: DAY })
  await until('landed', async () => (await both.service.json('/api/trenes/estaciones')).meta.missing === undefined)
}, 90_000)
afterAll(() => Promise.all([commuter, other, both].map((one) => one?.service.close())))

/** Paths, their replies with one of the timetables, and with both. */
function paths(one: string, unknown: string, { station, route }: Begun): readonly (readonly [path: string, one: string, both: string])[] {
  return [
    ['estaciones', '200', '200'],
    ['estaciones?network=CERCANIAS', '200', '200'],
    [`estaciones/${station}`, '200', '200'],
    ['estaciones/00000', OUT, GONE],
    [`estaciones/${station}/salidas`, '200', '200'],
    [`estaciones/${station}/salidas?network=${one}`, '200', '200'],
    [`estaciones/${station}/salidas?network=${unknown}`, OUT, '200'],
    ['estaciones/00000/llegadas', OUT, GONE],
    [`estaciones/00000/llegadas?network=${one}`, OUT, GONE],
    ['rutas', '200', '200'],
    [`rutas?network=${one}`, '200', '200'],
    [`rutas?network=${unknown}`, OUT, '200'],
    [`rutas/${route}`, '200', '200'],
    ['rutas/00000', OUT, GONE],
    [`rutas/${route}/horarios`, '200', '200'],
    ['rutas/00000/horarios', OUT, GONE],
  ]
}

describe('with one of the two timetables', () => {
  test('what it has is answered, a query of the other alone has no data yet, and nothing is reported as not found', async () => {
    const cases = [
      [commuter, paths('CERCANIAS', 'AVLDMD', commuter)],
      [other, paths('AVLDMD', 'CERCANIAS', other)],
    ] as const
    for (const [begun, all] of cases) for (const [path, expected] of all) expect([path, await reply(begun, path)]).toEqual([path, expected])
    expect([await reply(commuter, 'nucleos'), await reply(other, 'nucleos')]).toEqual(['200', OUT])
  })

  test('the other is named, in the answer or in the problem', async () => {
    const { total, meta } = await commuter.service.json('/api/trenes/estaciones')
    expect(total).toBeGreaterThan(0)
    expect(meta.missing).toEqual([{ dataset: 'rail_stations', feed: OTHER, reason: 'NOT_ARRIVED' }])
    const response = await commuter.service.get('/api/trenes/rutas?network=AVLDMD')
    expect([response.headers.get('retry-after'), await response.json()]).toMatchObject([
      '30',
      { detail: `Some data that this answer needs has not arrived yet: it waits for ${OTHER}.`, waits_for: [OTHER] },
    ])
  })

  test('it is over once the other has landed', async () => {
    for (const [path, , expected] of paths('CERCANIAS', 'AVLDMD', both)) expect([path, await reply(both, path)]).toEqual([path, expected])
  })
})

test('a code that lacks its zeros, or is mistyped, is answered with the one that was meant', async () => {
  const { service, station } = both
  const rows = await service.lake.query(sql`SELECT DISTINCT stop_id FROM ${scan(railStations)} WHERE stop_id LIKE '0%' ORDER BY stop_id`)
  const padded = String(rows[0]?.['stop_id'])
  for (const [id, near] of [
    [String(Number(padded)), padded],
    [`${station}x`, station],
  ])
    for (const path of ['', '/salidas'])
      expect(await service.json(`/api/trenes/estaciones/${id}${path}`)).toMatchObject({
        status: 404,
        detail: `There is nothing under /api/trenes/estaciones/${id}${path}; did you mean ${near}?`,
      })
})

test('a board states the period for which its timetables exist', async () => {
  const { service } = both
  const shared = (await service.json('/api/trenes/estaciones?limit=20000')).stations.find((one: Reply) => one.networks.length === 2)
  const spanOf = async (query: string): Promise<Reply> => {
    const reply = await service.json(`/api/trenes/estaciones/${shared.id}/salidas?limit=1000${query}`)
    return { from: reply.timetable_from, until: reply.timetable_until, departures: reply.departures }
  }
  const [all, one, another] = [await spanOf(''), await spanOf('&network=CERCANIAS'), await spanOf('&network=AVLDMD')]
  // Both have to be about it.
  expect([one.from, another.from]).toEqual(['2026-05-03T22:00:00.000Z', '2026-05-02T22:00:00.000Z'])
  expect([all.from, all.until]).toEqual([[one.from, another.from].sort()[1], [one.until, another.until].sort()[0]])
  // Its last hour: of the network whose timetable ends there only trains of the last day are left.
  const last = await spanOf(`&at=${new Date(Date.parse(all.until) - 3_600_000).toISOString()}`)
  expect(last.until).toBe(all.until)
  const ended = one.until === all.until ? 'CERCANIAS' : 'AVLDMD'
  const lastDay = madridDate(Date.parse(all.until), -1)
  const left = last.departures.filter(({ network }: Reply) => network === ended)
  expect(left.filter(({ service_date }: Reply) => service_date > lastDay)).toEqual([])
  const refused = await service.json(`/api/trenes/estaciones/${shared.id}/salidas?at=${all.until}`)
  expect([refused.status, refused.detail]).toEqual([400, expect.stringContaining(`until before ${all.until}`)])
})
