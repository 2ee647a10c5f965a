import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { airStationCollection } from '../../../../api/endpoints/search/collections/air.ts'
import { airMeasurements, airQualityIndex, airQualityStations } from '../../../../lake/datasets/air/air-quality.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { FEEDS } from '../../main/feed-listings.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'
import { liveRows, published } from '../aviation/aviation-service.ts'

const HOUR = 3_600_000
/** The present time: ten minutes before, the index of 11:00 was published. */
const AT = Date.parse('2026-10-26T13:00:00Z')
const INDEX_AT = '2026-10-26T12:00:00.000Z'
/** A station of Madrid that the ministry calls extremely poor, and one without an index for six hours. */
const WORST = '28079008'
const LATE = '28079011'

let service: TestService
let stations: readonly AnyRow[]
let index: readonly AnyRow[]
let measured: readonly AnyRow[]
beforeAll(async () => {
  // A feed that has not been announced is never late: the hours alone show what is stale.
  service = await startService({ clock: () => AT, feeds: FEEDS.filter(({ id }) => id !== 'miteco_ica') })
  stations = await liveRows('miteco_ica', airQualityStations, AT)
  const hours = await Promise.all([0, 1, 6, 23, 24].map((back) => published('miteco_ica', airQualityIndex, AT - back * HOUR)))
  const isLate = (row: AnyRow): boolean => row['station_id'] === LATE && (row['observed_at'] as number) > AT - 6 * HOUR
  const bad = { level: 'EXTREMELY_POOR', is_partial: false, pollutants: ['PM10', 'PM2_5'] }
  const changed = (row: AnyRow): AnyRow => (row['station_id'] === WORST ? { ...row, ...bad } : row)
  index = hours
    .flat()
    .filter((row) => !isLate(row))
    .map(changed)
  const newest = new Map(index.toReversed().map((row) => [row['station_id'], row]))
  const current = [...newest.values()].map((row) => ({ ...row, status: 'ACTIVE', updated_at: AT, is_stale: false }))
  // Each of the two days once: the file of the day before is complete after midnight.
  const files = ['madrid_air', 'barcelona_air'].flatMap((feed) => [
    published(feed, airMeasurements, Date.parse('2026-10-25T23:20:00Z')),
    published(feed, airMeasurements, AT),
  ])
  const keyOf = (row: AnyRow): string => [row['station_id'], row['pollutant'], row['hour_begins_at']].join()
  measured = [...new Map((await Promise.all(files)).flat().map((row) => [keyOf(row), row])).values()]
  await service.publish(airQualityStations, stations, { at: AT, feed: 'miteco_ica' })
  await service.publish(airQualityIndex, current, { at: AT, feed: 'miteco_ica' })
  await service.land(
    airQualityIndex,
    index.map((row) => exampleTableRow(airQualityIndex, row)),
    AT,
  )
  await service.land(
    airMeasurements,
    measured.map((row) => exampleTableRow(airMeasurements, row)),
    AT,
  )
})
afterAll(() => service?.close())

const list = async (query = ''): Promise<Reply> => service.json(`/api/calidad-aire?limit=20000&${query}`)

describe('air quality now', () => {
  test('each active station with its newest index, and how many computed levels agree', async () => {
    const { stations: found, meta, compared_stations, disagreeing_stations } = await list()
    const active = new Set(stations.flatMap((row) => (row['is_active'] ? [row['station_id']] : [])))
    const known = new Set([...index, ...measured].map((row) => row['station_id']))
    expect(found.map((one: Reply) => one.id).sort()).toEqual([...active].filter((id) => known.has(id)).sort())
    expect(meta.sources.map((one: Reply) => one.id).sort()).toEqual(['barcelona_air', 'madrid_air', 'miteco_ica'])
    const isWhole = (one: Reply): boolean => one.computed_level !== null && one.is_partial === false && one.computed_is_partial === false
    const compared = found.filter(isWhole)
    expect(compared.length).toBeGreaterThan(5)
    expect([compared_stations, disagreeing_stations]).toEqual([
      compared.length,
      compared.filter((one: Reply) => one.level !== one.computed_level).length,
    ])
    expect(found.find((one: Reply) => one.id === WORST)).toMatchObject({
      ...{ level: 'EXTREMELY_POOR', category: 6, pollutants: ['PM10', 'PM2_5'], observed_at: INDEX_AT, is_stale: false },
    })
    // The stand-in publishes the level of the scale, except for one level in fifty.
    expect(disagreeing_stations).toBeGreaterThanOrEqual(1)
    expect(disagreeing_stations).toBeLessThan(compared_stations / 3)
  })

  test('the computed level of the hour is that of the worst pollutant', async () => {
    const { stations: found } = await list('province=Madrid')
    const at = Date.parse(INDEX_AT)
    const gases = { NO2: [40, 90, 120, 230, 340], O3: [50, 100, 130, 240, 380], SO2: [100, 200, 350, 500, 750] }
    const levels = ['GOOD', 'FAIRLY_GOOD', 'MODERATE', 'POOR', 'VERY_POOR', 'EXTREMELY_POOR']
    const onlyGases = found.filter(
      (one: Reply) =>
        one.observed_at === INDEX_AT &&
        one.computed_level !== null &&
        !one.measurements.some(({ pollutant }: Reply) => pollutant.startsWith('PM')),
    )
    expect(onlyGases.length).toBeGreaterThan(0)
    for (const { id, computed_level } of onlyGases) {
      const places = Object.entries(gases).flatMap(([pollutant, limits]) => {
        const row = measured.find(
          (one) => one['station_id'] === id && one['pollutant'] === pollutant && one['hour_begins_at'] === at - HOUR,
        )
        return typeof row?.['value'] === 'number' ? [limits.filter((limit) => (row['value'] as number) > limit).length] : []
      })
      expect([id, computed_level]).toEqual([id, levels[Math.max(...places)]])
    }
  })

  test('measurements are the newest valid hour of each pollutant, in its unit', async () => {
    const { stations: found } = await list('municipality=Barcelona')
    const one = found.find(({ measurements }: Reply) => measurements.some(({ pollutant }: Reply) => pollutant === 'CO'))
    for (const { pollutant, value, unit, hour_begins_at } of one.measurements) {
      const valid = measured.filter((row) => row['station_id'] === one.id && row['pollutant'] === pollutant && row['value'] !== null)
      const newest = valid.reduce((a, b) => ((a['hour_begins_at'] as number) > (b['hour_begins_at'] as number) ? a : b))
      expect([value, unit, Date.parse(hour_begins_at)]).toEqual([
        newest['value'],
        pollutant === 'CO' ? 'mg/m3' : 'ug/m3',
        newest['hour_begins_at'],
      ])
    }
  })

  test('the stations of a pollutant are those that measure it', async () => {
    const { stations: all } = await list()
    const inDays = Date.parse(INDEX_AT) - 47 * HOUR
    const evidence = new Set([
      ...measured.flatMap((row) => (row['pollutant'] === 'O3' ? [row['station_id']] : [])),
      ...index.flatMap((row) =>
        (row['observed_at'] as number) >= inDays && (row['pollutants'] as string[]).includes('O3') ? [row['station_id']] : [],
      ),
    ])
    const wanted = all.flatMap((one: Reply) => (evidence.has(one.id) ? [one.id] : []))
    expect((await list('pollutant=O3')).stations.map((one: Reply) => one.id)).toEqual(wanted)
    expect(wanted.length).toBeLessThan(all.length)
    const decided = all.filter((one: Reply) => one.pollutants.includes('O3')).length
    expect(wanted.length).toBeGreaterThan(decided)
  })

  test('a station with an old index is stale, without the others', async () => {
    const { stations: found, meta } = await list('province=Madrid')
    expect(found.find((one: Reply) => one.id === LATE)).toMatchObject({ is_stale: true, observed_at: '2026-10-26T06:00:00.000Z' })
    expect([found.filter((one: Reply) => one.is_stale).length < found.length, meta.stale]).toEqual([true, false])
  })

  test('by province, category, pollutant and area', async () => {
    const { stations: all } = await list()
    const idsOf = async (query: string): Promise<string[]> => (await list(query)).stations.map((one: Reply) => one.id)
    const those = (is: (one: Reply) => boolean): string[] => all.filter(is).map((one: Reply) => one.id)
    expect(await idsOf('province=Madrid')).toEqual(those((one) => one.province_code === '28'))
    expect(await idsOf('min_index=3')).toEqual(those((one) => one.category >= 3))
    expect(await idsOf('pollutant=PM2_5')).toEqual(those((one) => one.measured_pollutants.includes('PM2_5')))
    expect(await idsOf('bbox=-4,40,-3,41')).toEqual(those((one) => one.lat > 40 && one.lat < 41 && one.lon > -4 && one.lon < -3))
    expect(await idsOf('pollutant=PM2_5')).toContain(WORST)
    const refused = await service.get('/api/calidad-aire?min_index=7')
    expect([refused.status, ((await refused.json()) as Reply).errors[0].parameter]).toEqual([400, 'min_index'])
  })
})

test('the catalogue has inactive stations too, by type', async () => {
  const { stations: all } = await service.json('/api/calidad-aire/estaciones?limit=20000')
  expect(all).toHaveLength(stations.length)
  const { stations: traffic } = await service.json('/api/calidad-aire/estaciones?limit=20000&type=TRAFFIC')
  const wanted = stations.filter((row) => row['type'] === 'TRAFFIC')
  expect(traffic.map((one: Reply) => one.id).sort()).toEqual(wanted.map((row) => row['station_id']).sort())
})

test('one station, with its last 24 hours', async () => {
  const one = await service.json(`/api/calidad-aire/estaciones/${WORST}`)
  const isRecent = (time: string) => (row: AnyRow) =>
    row['station_id'] === WORST && (row[time] as number) > Date.parse(INDEX_AT) - 24 * HOUR
  expect(one.hours).toHaveLength(index.filter(isRecent('observed_at')).length)
  expect(one.hours[0]).toMatchObject({ observed_at: INDEX_AT, level: 'EXTREMELY_POOR', category: 6, is_partial: false })
  expect(one.hours.filter(({ computed_level }: Reply) => computed_level !== null).length).toBeGreaterThan(2)
  const begins = one.measurements.map(({ hour_begins_at }: Reply) => Date.parse(hour_begins_at))
  expect([Math.max(...begins), begins.toSorted((a: number, b: number) => b - a)]).toEqual([Date.parse(INDEX_AT) - HOUR, begins])
  expect(one.measurements.some(({ validity, value }: Reply) => validity === 'INVALID' && value === null)).toBe(true)
  expect((await service.get('/api/calidad-aire/estaciones/99999999')).status).toBe(404)
})

describe('the series of a station', () => {
  const history = async (query: string, id = WORST): Promise<Reply> =>
    service.json(`/api/calidad-aire/estaciones/${id}/historico?limit=1000&${query}`)

  test('hours are the valid measurements; days are their means, with the share of their hours', async () => {
    const { history: hours } = await history('pollutant=NO2&interval=1h&from=2026-10-25&to=2026-10-27')
    const valid = measured.filter((row) => row['station_id'] === WORST && row['pollutant'] === 'NO2' && row['value'] !== null)
    const byTime = valid.toSorted((a, b) => (a['hour_begins_at'] as number) - (b['hour_begins_at'] as number))
    expect(hours.map((one: Reply) => [Date.parse(one.period_start), one.value_mean, one.coverage])).toEqual(
      byTime.map((row) => [row['hour_begins_at'], row['value'], 1]),
    )
    const { history: days } = await history('pollutant=NO2&interval=1d&from=2026-10-25&to=2026-10-26')
    // A day of 25 hours; the file has 23 of them at most.
    const ofDay = byTime
      .filter((row) => (row['hour_begins_at'] as number) < Date.parse('2026-10-25T23:00:00Z'))
      .map((row) => row['value'] as number)
    expect(days).toHaveLength(1)
    expect(days[0]).toMatchObject({
      period_start: '2026-10-24T22:00:00.000Z',
      unit: 'ug/m3',
      value_max: Math.max(...ofDay),
      value_min: Math.min(...ofDay),
    })
    expect(days[0].value_mean).toBeCloseTo(ofDay.reduce((sum, one) => sum + one, 0) / ofDay.length, 2)
    expect(days[0].coverage).toBeCloseTo(ofDay.length / 25, 5)
    expect(ofDay.length).toBeLessThanOrEqual(23)
  })

  test('each pollutant for itself; none of a station without measurements', async () => {
    const { history: days } = await history('interval=1d&from=2026-10-25&to=2026-10-26')
    const own = new Set(measured.flatMap((row) => (row['station_id'] === WORST ? [row['pollutant']] : [])))
    expect(days.map((one: Reply) => one.pollutant).sort()).toEqual([...own].sort())
    const other = stations.find((row: AnyRow) => row['is_active'] && !measured.some((one) => one['station_id'] === row['station_id']))
    expect((await history('interval=1d', other?.['station_id'] as string)).history).toEqual([])
    expect((await service.get('/api/calidad-aire/estaciones/99999999/historico')).status).toBe(404)
  })
})

test('PRO is needed', async () => {
  expect((await service.open('/api/calidad-aire')).status).toBe(401)
})

test('active stations are searched by name and code', () => {
  const state = { rows: stations as never, parts: [] }
  const found = [...airStationCollection.documents([state], {})]
  expect(found).toHaveLength(stations.filter((row) => row['is_active']).length)
  expect(found.find(({ id }) => id === WORST)).toMatchObject({
    title: 'MADRID 8',
    subtitle: 'Estación de calidad del aire, Madrid',
    codes: [WORST],
  })
})

test('the list is stale where every station is', async () => {
  const late = index.find((row) => row['station_id'] === LATE)
  const rows = [{ ...late, status: 'ACTIVE', updated_at: AT, is_stale: false }]
  await service.publish(airQualityIndex, rows, { at: AT + 1000, feed: 'miteco_ica' })
  const { stations: found, meta } = await list()
  expect([found.length > 1, found.every((one: Reply) => one.is_stale), meta.stale]).toEqual([true, true, true])
})
