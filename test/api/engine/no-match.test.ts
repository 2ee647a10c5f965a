import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { roadsOfTable } from '../../../api/engine/answers/no-match.ts'
import { accidentPositions } from '../../../lake/datasets/safety/accident-places.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { until } from '../../helpers/until.ts'
import { exampleService } from '../example-service.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../service.ts'

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

describe('an empty list names the parameter without a match, and the existing values', () => {
  test.each([
    ['/api/gas-stations?operator=NOPE', 'operator', 'REPSOL'],
    ['/api/gas-stations?fuel=ADBLUE', 'fuel', 'DIESEL_A'],
    ['/api/gas-stations/cheapest?fuel=ADBLUE', 'fuel', 'DIESEL_A'],
    ['/api/gas-stations/stats?fuel=ADBLUE', 'fuel', 'DIESEL_A'],
    ['/api/combustible/precios?fuel=ADBLUE', 'fuel', 'DIESEL_A'],
    ['/api/incidents?road=ZZ-99', 'road', 'GR-5202'],
    ['/api/incidents?measure=CONTRAFLOW', 'measure', 'LANES_CLOSED'],
    ['/api/incidents/history?from=2026-01-02&to=2026-01-03&road=ZZ-99', 'road', 'GR-5202'],
    ['/api/movilidad/imd?road=ZZ-99', 'road', 'A-6'],
    ['/api/trafico/sensores?district=99', 'district', '4'],
    ['/api/trafico/intensidad?level_of_service=CONGESTED', 'level_of_service', null],
    ['/api/trenes/rutas?nucleo=60', 'nucleo', null],
    ['/api/maritimo?port=nowhere', 'port', null],
    ['/api/movilidad/od?from=2020-03-01&to=2020-03-02', 'from', null],
    ['/api/accidentes/microdata?road=ZZ-99', 'road', null],
  ])('%s', async (path, parameter, there) => {
    const reply = await service.json(path)
    const [list] = Object.values(reply).filter(Array.isArray)
    expect(list).toEqual([])
    const found = reply.meta.no_match?.find((one: Reply) => one.parameter === parameter)
    expect(found?.available.length, JSON.stringify(reply.meta)).toBeGreaterThan(0)
    if (there !== null) expect(found.available).toContain(there)
  })

  test.each([
    ['/api/combustible/historico?fuel=ADBLUE&series=STATION_MEAN', 'fuel', 'DIESEL_A'],
    ['/api/combustible/tendencia?fuel=ADBLUE&series=STATION_MEAN', 'fuel', 'DIESEL_A'],
    ['/api/maritimo/historico?fuel=ADBLUE', 'fuel', 'DIESEL_A'],
    ['/api/maritimo/historico?station=nowhere', 'station', null],
  ])('%s is refused with the existing values', async (path, parameter, there) => {
    const problem = await service.json(path)
    expect(problem, JSON.stringify(problem)).toMatchObject({ status: 400, errors: [{ parameter }] })
    expect(problem.errors[0].allowed.length).toBeGreaterThan(0)
    if (there !== null) expect(problem.errors[0].allowed).toContain(there)
  })

  test('a value that something has is not named, nor is anything named in a list with records', async () => {
    const both = await service.json('/api/gas-stations?operator=REPSOL&fuel=ADBLUE')
    expect(both.meta.no_match.map((one: Reply) => one.parameter)).toEqual(['fuel'])
    expect((await service.json('/api/gas-stations?operator=REPSOL')).meta).not.toHaveProperty('no_match')
    expect((await service.json('/api/incidents?province=Sevilla')).meta).not.toHaveProperty('no_match')
  })

  test('the roads of a table are read once for each of its states', async () => {
    // Its own service, as rows land in it.
    const service = await startService()
    onTestFinished(() => service.close())
    const roads = async () => {
      const found = await service.lake.snapshot(roadAccidents)
      return roadsOfTable(service.lake, roadAccidents, { pins: new Map([[roadAccidents.id, found?.state ?? null]]), timeout_ms: 30_000 })
    }
    const land = (accident_id: string, road: string, day: number): Promise<void> =>
      service.land(roadAccidents, [exampleTableRow(roadAccidents, { accident_id, road })], Date.UTC(2026, 1, day))
    await service.land(accidentPositions, [exampleTableRow(accidentPositions)], Date.UTC(2026, 1, 1))
    await land('first', 'A-77', 1)
    const first = await roads()
    expect(first).toEqual(['A-77'])
    // The same list, not one like it.
    expect(await roads()).toBe(first)
    await land('next', 'ZZ-1', 2)
    await until('the new state is read', async () => (await roads()).length === 2)
    const { meta } = await service.json('/api/accidentes/microdata?road=ZZ-2')
    expect(meta.no_match[0]).toMatchObject({ parameter: 'road', available: ['A-77', 'ZZ-1'] })
  })

  test('a similar value is suggested', async () => {
    const { meta } = await service.json('/api/gas-stations?operator=REPSOLL')
    expect(meta.no_match).toEqual([{ parameter: 'operator', near: 'REPSOL', available: ['REPSOL'] }])
    const { meta: numbers } = await service.json('/api/trafico/sensores?district=5')
    expect(numbers.no_match).toEqual([{ parameter: 'district', near: null, available: ['4'] }])
  })
})

/** Filters by place, area, words, time or a minimum: their values are no list. */
const WITHOUT_VALUES = [
  'at',
  'place',
  'province',
  'geo',
  'bbox',
  'q',
  'callsign',
  'period',
  'min_delay',
  'open_now',
  'include_restricted',
  'casualty',
  'has_ferries',
]

test('every filter that compares with values of records says which there are', () => {
  const lists = endpoints.filter(({ read, returns }) => read.kind === 'memory' && returns.kind === 'list')
  expect(lists.length).toBeGreaterThan(20)
  for (const { path, filters } of lists)
    for (const { name, matches, present } of filters)
      if (matches && !WITHOUT_VALUES.includes(name)) expect(present, `${path} ${name}`).toBeDefined()
})
