import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silenceOf } from '../../../../api/engine/answers/missing.ts'
import { feedById } from '../../../../jobs/feeds/catalog.ts'
import { parsePublication } from '../../../../jobs/ingest/parse.ts'
import { ferryCalendar, ferryRoutes, ferryStops, ferryStopTimes, ferryTrips } from '../../../../lake/datasets/maritime/ferry-timetable.ts'
import { marinePrices, marineStations } from '../../../../lake/datasets/maritime/marine-fuel.ts'
import { ports } from '../../../../lake/datasets/maritime/ports.ts'
import { vesselPositions } from '../../../../lake/datasets/maritime/vessels.ts'
import type { FeedListing } from '../../../../lake/live/freshness.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { datesBetween } from '../../../../lake/schema/time.ts'
import { ferryZip } from '../../../../scripts/stand-in/formats/ferry-gtfs.ts'
import { WHOLE } from '../../../../scripts/stand-in/publisher.ts'
import { nga } from '../../../../scripts/stand-in/publishers/maritime/ports.ts'
import { FERRY_OPERATORS, type FerryOperator } from '../../../../scripts/stand-in/world/ferry-lines.ts'
import { makeWorld } from '../../../../scripts/stand-in/world/world.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'

// Timetables made to the GTFS standard: none of a ferry was recorded. Saturday, 10:00 in Madrid and 09:00 in the Canaries.
const NOW = Date.parse('2026-08-22T08:00:00Z')
const TABLES = [ferryStops, ferryRoutes, ferryTrips, ferryStopTimes, ferryCalendar] as const
const FEEDS = ['ferries_balearia', 'ferries_fred_olsen', 'ferries_vizcaya_bridge'] as const

let service: TestService
/** Rows of each dataset, of all timetables. */
const landed = new Map<string, AnyRow[]>()

async function rowsOf(feed: string, bytes: Buffer): Promise<ReadonlyMap<string, readonly AnyRow[]>> {
  return (await parsePublication(feedById(feed), [{ name: 'body', bytes }], NOW, { keeps: () => true })).rows
}

beforeAll(async () => {
  service = await startService({ clock: () => NOW })
  await service.tell({ feed: 'ais_receivers', last_success_at: NOW, data_time: NOW, fresh_at: NOW })
  const archives = FEEDS.map(
    (feed) => [feed, ferryZip(FERRY_OPERATORS[feed] as FerryOperator, { at: Date.UTC(2026, 7, 1), variant: WHOLE })] as const,
  )
  // Baleària's next timetable is published already: it begins in October and has a line less.
  const { lines, ...rest } = FERRY_OPERATORS['ferries_balearia'] as FerryOperator
  const next = ferryZip({ ...rest, lines: lines.filter(({ id }) => id !== 'DEN-FOR') }, { at: Date.UTC(2026, 9, 1), variant: WHOLE })
  for (const [feed, bytes] of [...archives, ['ferries_balearia', next] as const])
    for (const [id, rows] of await rowsOf(feed, bytes))
      landed.set(id, [...(landed.get(id) ?? []), ...rows.map((row) => ({ ...row, fetch_id: `${feed}.1` }))])
  const edition = { resource: 'all', publishedAt: NOW, stampedAt: NOW, variant: WHOLE }
  const index = nga.write(makeWorld(1, 'small'), edition) as Buffer
  const listed = ((await rowsOf('world_port_index', index)).get('ports') as readonly AnyRow[]).map((row) => ({
    ...row,
    observed_at: NOW - 60_000,
  }))
  const state = { status: 'ACTIVE', updated_at: NOW - 60_000 }
  await service.publish(
    ports,
    listed.map((row) => ({ ...row, ...state, is_stale: false })),
    { at: NOW - 60_000 },
  )
  await service.land(
    ports,
    listed.map((row) => ({ ...row, ...state, is_baseline: false, last_seen_at: null, fetch_id: 'world_port_index.1' })),
    NOW,
  )
  for (const dataset of TABLES as readonly Dataset[]) await service.land(dataset, landed.get(dataset.id) as AnyRow[], NOW)
}, 60_000)
afterAll(() => service?.close())

/** A marine fuel station at a position, and its prices by fuel. */
async function sellFuel(
  stations: readonly (readonly [id: string, lat: number, lon: number, prices: Readonly<Record<string, number>>])[],
): Promise<void> {
  const at = { observed_at: NOW - 60_000, updated_at: NOW - 60_000 }
  const rows = stations.map(([station_id, lat, lon]) => exampleRow(marineStations, { ...at, station_id, position: { lat, lon } }))
  const prices = stations.flatMap(([station_id, , , own]) =>
    Object.entries(own).map(([product, price]) => exampleRow(marinePrices, { ...at, station_id, product, price, price_eur_l: price })),
  )
  await service.publish(marineStations, rows, { at: NOW - 60_000 })
  await service.publish(marinePrices, prices, { at: NOW - 60_000 })
}

const route = (id: string, query = ''): Promise<Reply> => service.json(`/api/maritimo/ferries/${id}${query}`)
const routes = async (query = ''): Promise<Reply[]> => (await service.json(`/api/maritimo/ferries?limit=20000${query}`)).routes

type Run = { readonly id: string; readonly version: string; readonly departure: number }
let runs: ReadonlyMap<string, readonly Run[]> | undefined

/** The sailings by version and service, from the rows without the API. */
function runsByService(): ReadonlyMap<string, readonly Run[]> {
  const rows = (dataset: string): readonly AnyRow[] => landed.get(dataset) as readonly AnyRow[]
  const calls = Map.groupBy(rows('ferry_stop_times'), (row) => `${row['timetable_version']} ${row['trip_id']}`)
  const made = rows('ferry_trips').map((trip) => {
    const own = (calls.get(`${trip['timetable_version']} ${trip['trip_id']}`) ?? []).toSorted(
      (one, other) => (one['stop_sequence'] as number) - (other['stop_sequence'] as number),
    )
    const id = [trip['network'], trip['route_id'], own[0]?.['stop_id'], own.at(-1)?.['stop_id']].join('.')
    return { id, version: `${trip['timetable_version']} ${trip['service_id']}`, departure: own[0]?.['departure'] as number }
  })
  return Map.groupBy(made, ({ version }) => version)
}

/** Departures of a route in one direction on a date: seconds of the service day. */
function departuresOf(id: string, date: string): number[] {
  runs ??= runsByService()
  const isValid = (version: string): boolean => !version.startsWith('balearia') || version.endsWith('10-01') === date >= '2026-10-01'
  return (landed.get('ferry_calendar') as AnyRow[])
    .filter((row) => row['service_date'] === date && isValid(row['timetable_version'] as string))
    .flatMap((row) => runs?.get(`${row['timetable_version']} ${row['service_id']}`) ?? [])
    .flatMap((run) => (run.id === id ? [run.departure] : []))
    .sort((one, other) => one - other)
}

const instant = (date: string, seconds: number, offset_h: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + (seconds - offset_h * 3600) * 1000).toISOString()

describe('routes', () => {
  test('every line of the timetables, each way, with its operator; other vehicles are left out', async () => {
    const all = await routes()
    const lines = FEEDS.flatMap((feed) => (FERRY_OPERATORS[feed] as FerryOperator).lines.map(({ id }) => id))
    expect([...new Set(all.map((one) => one.route_id))].sort()).toEqual(lines.sort())
    expect(all).toHaveLength(2 * lines.length)
    expect(await routes('&operator=FRED_OLSEN')).toEqual(all.filter((one) => one.operator === 'FRED_OLSEN'))
    expect(all.find((one) => one.id === 'BALEARIA.DEN-IBZ.DEN.IBZ')).toMatchObject({
      ...{
        operator_name: 'Baleària Eurolíneas Marítimas',
        origin: 'Dénia',
        origin_id: 'ES-DENIA',
        destination: 'Ibiza',
        destination_id: 'ESIBZ',
      },
      ...{ kind: 'FERRY', duration_s: 8100, is_car_allowed: true, timezone: 'Europe/Madrid' },
    })
    expect(all.find((one) => one.id === 'BALEARIA.IBZ-FOR.IBZ.FOR')).toMatchObject({ kind: 'PASSENGER_FERRY', is_car_allowed: false })
  })

  test.each(['BALEARIA.DEN-IBZ.DEN.IBZ', 'BALEARIA.PMI-MAH.MAH.PMI', 'BALEARIA.DEN-FOR.FOR.DEN', 'FRED_OLSEN.LCR-SSG.LCR.SSG'])(
    '%s: sailings a week, of seasons and of months are those of trips and calendar',
    async (id) => {
      const one = await route(id)
      const count = (dates: readonly string[]): number => dates.reduce((sum, date) => sum + departuresOf(id, date).length, 0)
      expect(one.sailings_per_week).toBe(count(datesBetween('2026-08-22', '2026-08-28')))
      const [summer, autumn] = one.frequency
      expect([summer.season, summer.from, summer.to, autumn.season, autumn.from, autumn.to]).toEqual([
        ...['SUMMER', '2026-08-01', '2026-08-31', 'AUTUMN', '2026-09-01', '2026-11-30'],
      ])
      const dates = datesBetween('2026-09-01', '2026-11-30')
      expect([autumn.days, autumn.sailings]).toEqual([91, count(dates)])
      expect(autumn.days_with_sailings).toBe(dates.filter((date) => departuresOf(id, date).length > 0).length)
      expect(autumn.sailings_per_week).toBeCloseTo((7 * autumn.sailings) / 91, 1)
      const [, september] = one.months
      expect([september.month, september.sailings]).toEqual(['2026-09', count(datesBetween('2026-09-01', '2026-09-30'))])
    },
  )

  test('the next sailing is on the clock of the operator, or one after midnight of the day before', async () => {
    const next = async (id: string): Promise<string> => (await route(id)).next_sailing_at
    const [, second] = departuresOf('BALEARIA.DEN-IBZ.DEN.IBZ', '2026-08-22') as [number, number]
    expect(await next('BALEARIA.DEN-IBZ.DEN.IBZ')).toBe(instant('2026-08-22', second, 2))
    const canaries = departuresOf('FRED_OLSEN.LCR-SSG.LCR.SSG', '2026-08-22').find((seconds) => seconds >= 9 * 3600) as number
    expect(await next('FRED_OLSEN.LCR-SSG.LCR.SSG')).toBe(instant('2026-08-22', canaries, 1))
    // 24:15 of the 22nd comes before the first of the 23rd.
    expect(departuresOf('BALEARIA.MOT-MLN.MLN.MOT', '2026-08-22')).toEqual([24.25 * 3600])
    expect(await next('BALEARIA.MOT-MLN.MLN.MOT')).toBe('2026-08-22T22:15:00.000Z')
  })

  test('a shuttle that leaves every eight minutes is as many sailings', async () => {
    const one = await route('VIZCAYA_BRIDGE.POR-ARE.POR.ARE', '?date=2026-08-23')
    expect([one.headway_s, one.sailings_per_week]).toEqual([480, 7 * (120 + 8)])
    expect([one.sailings.length, one.sailings[1].departure, one.sailings[1].headway_s]).toEqual([128, '06:08:00', 480])
  })

  test.each([
    ['origin=denia', ['BALEARIA.DEN-FOR.DEN.FOR', 'BALEARIA.DEN-IBZ-PMI.DEN.PMI', 'BALEARIA.DEN-IBZ.DEN.IBZ']],
    ['origin=Eivissa&destination=la sav', ['BALEARIA.IBZ-FOR.IBZ.FOR']],
    ['origin=ESBCN&destination=MAH%C3%93N', ['BALEARIA.BCN-MAH.BCN.MAH']],
    [
      'destination=Menorca',
      ['BALEARIA.ALD-CIU.ALD.CIU', 'BALEARIA.BCN-ALD-CIU.BCN.CIU', 'BALEARIA.BCN-MAH.BCN.MAH', 'BALEARIA.PMI-MAH.PMI.MAH'],
    ],
    ['destination=nador', ['BALEARIA.LEI-NDR.LEI.NDR']],
    ['origin=Dénia&operator=FRED_OLSEN', []],
    ['origin=Dénia&in_service=false', []],
  ])('%s', async (query, ids) => {
    expect((await routes(`&${query}`)).map((one) => one.id).sort()).toEqual(ids)
  })

  test('a port without ferries is refused, with a suggestion', async () => {
    const response = await service.get('/api/maritimo/ferries?origin=Palmma')
    expect(response.status).toBe(400)
    const [error] = ((await response.json()) as Reply).errors
    expect([error.parameter, error.suggestion ?? error.detail]).toEqual(['origin', expect.stringContaining('Palma')])
    expect((await service.get('/api/maritimo/ferries?destination=Sevilla')).status).toBe(400)
  })
})

describe('the timetable of a day', () => {
  test('has the sailings of the day in order, those that arrive after midnight too, as times and as instants', async () => {
    const date = datesBetween('2026-08-22', '2026-08-28').find(
      (one) => departuresOf('BALEARIA.HUV-LPA-SCT.HUV.SCT', one).length > 0,
    ) as string
    const { sailings, calls } = await route('BALEARIA.HUV-LPA-SCT.HUV.SCT', `?date=${date}`)
    expect(sailings).toHaveLength(1)
    const [{ departure, arrival, arrival_at, duration_s, calls: own }] = sailings
    expect([departure, arrival, duration_s]).toEqual(['14:00:00', '47:45:00', 33.75 * 3600])
    expect(arrival_at).toBe(instant(date, 47.75 * 3600, 2))
    expect(own.map((one: Reply) => [one.port_id, one.arrival, one.departure])).toEqual([
      ['ESHUV', '14:00:00', '14:00:00'],
      ['ESLPA', '43:00:00', '43:45:00'],
      ['ESSCT', '47:45:00', '47:45:00'],
    ])
    expect(calls.map((one: Reply) => one.port_id)).toEqual(['ESHUV', 'ESLPA', 'ESSCT'])
  })

  test.each(['2026-08-22', '2026-09-30', '2026-10-01', '2026-12-25'])('%s: from the version valid on that date', async (date) => {
    const id = 'BALEARIA.ALG-CEU.CEU.ALG'
    const { sailings } = await route(id, `?date=${date}`)
    const clock = (text: string): number => text.split(':').reduce((sum, part) => 60 * sum + Number(part), 0)
    expect(sailings.map((one: Reply) => clock(one.departure))).toEqual(departuresOf(id, date))
    expect(sailings.length > 0).toBe(!date.endsWith('12-25'))
  })

  test('on the day on which the clock changes instants follow the clock', async () => {
    const { sailings } = await route('FRED_OLSEN.LCR-SSG.LCR.SSG', '?date=2026-10-25')
    const [first] = sailings
    expect(first.departure_at).toBe(instant('2026-10-25', departuresOf('FRED_OLSEN.LCR-SSG.LCR.SSG', '2026-10-25')[0] as number, 0))
  })

  test('a date outside every timetable is refused; an unknown route is not found', async () => {
    expect((await service.get('/api/maritimo/ferries/BALEARIA.DEN-IBZ.DEN.IBZ?date=2026-07-31')).status).toBe(400)
    expect((await service.get('/api/maritimo/ferries/BALEARIA.DEN-IBZ.DEN.IBZ?date=2028-01-01')).status).toBe(400)
    expect((await service.get('/api/maritimo/ferries/BALEARIA.DEN-IBZ.DEN.XXX')).status).toBe(404)
  })
})

describe('ports', () => {
  const list = async (query: string): Promise<Reply[]> => (await service.json(`/api/maritimo/puertos?limit=20000&${query}`)).ports

  test('terminals are in the listed port of their name, and ports of their own where no list has one', async () => {
    const all = await list('')
    const byId = new Map(all.map((one) => [one.id, one]))
    expect(byId.size).toBe(all.length)
    expect(byId.get('ESHUV')).toMatchObject({ name: 'Huelva', listing: 'WORLD_PORT_INDEX', ferry_routes: 2, ferry_operators: ['BALEARIA'] })
    expect(byId.get('ESLPA')).toMatchObject({ ferry_operators: ['BALEARIA', 'FRED_OLSEN'] })
    expect(byId.get('ESMLN')).toMatchObject({ province_code: '52', ferry_routes: 6 })
    expect(byId.get('ESSVQ')).toMatchObject({ has_ferries: false, ferry_routes: 0, ferry_operators: [] })
    const added = all.filter((one) => one.listing === 'FERRY_TIMETABLE').map((one) => [one.id, one.province_code])
    expect(added.sort()).toEqual([
      ['FERRY-LAS-ARENAS', '48'],
      ['FERRY-NADOR', null],
      ['FERRY-PORTUGALETE', '48'],
      ['FERRY-TANGER-MED', null],
      ['FERRY-TANGER-VILLE', null],
    ])
  })

  test.each([
    ['province=Ceuta', ['ESCEU']],
    ['q=mahon', ['ESMAH']],
    ['q=eivissa', ['ESIBZ']],
    ['lat=36.0&lon=-5.5&radius=20000&has_ferries=true', ['ES-TARIFA', 'ESALG', 'ESCEU', 'FERRY-TANGER-MED']],
  ])('%s', async (query, ids) => {
    expect((await list(query)).map((one) => one.id).sort()).toEqual(ids)
  })

  test('a fuel station is in the nearest port, or in none that is far', async () => {
    await sellFuel([
      ['mar_near', 39.56, 2.63, { DIESEL_A: 1.5, GASOLINE_95_E5: 1.7 }],
      ['mar_cheap', 39.55, 2.62, { DIESEL_A: 1.4 }],
      ['mar_far', 39.7, 2.7, { DIESEL_A: 1.3 }],
    ])
    const { fuel, fuel_stations, fuels } = await service.json('/api/maritimo/puertos/ESPMI')
    expect(fuel.map((one: Reply) => [one.station_id, one.fuel, one.price_eur_l])).toEqual([
      ['mar_cheap', 'DIESEL_A', 1.4],
      ['mar_near', 'DIESEL_A', 1.5],
      ['mar_near', 'GASOLINE_95_E5', 1.7],
    ])
    expect([fuel_stations, fuels]).toEqual([2, ['DIESEL_A', 'GASOLINE_95_E5']])
    expect((await list('fuel=DIESEL_A')).map((one) => [one.id, one.fuel_stations])).toEqual([['ESPMI', 2]])
    expect(await service.json('/api/maritimo/puertos/ESIBZ')).toMatchObject({ fuel: [], fuel_stations: 0, fuels: [] })
  })

  test('one port has its ferries: those that leave, that call on their way, that arrive', async () => {
    const { ferries } = await service.json('/api/maritimo/puertos/ESALD')
    expect(ferries.map((one: Reply) => [one.id, one.role])).toEqual([
      ['BALEARIA.ALD-CIU.ALD.CIU', 'ORIGIN'],
      ['BALEARIA.BCN-ALD-CIU.BCN.CIU', 'CALL'],
      ['BALEARIA.BCN-ALD-CIU.CIU.BCN', 'CALL'],
      ['BALEARIA.ALD-CIU.CIU.ALD', 'DESTINATION'],
    ])
    const [first] = ferries
    expect(first).toMatchObject({ destination: 'Ciutadella', sailings_per_week: 28, in_service: true })
    expect((await service.get('/api/maritimo/puertos/ESXXX')).status).toBe(404)
  })

  test('vessels count within 5 km, each once; without a receiver there is no count but a reason', async () => {
    const port = (): Promise<Reply> => service.json('/api/maritimo/puertos/ESPMI')
    const without = await port()
    expect([without.vessel_count, without.meta.missing]).toEqual([null, [{ dataset: 'vessel_positions', reason: 'NOT_ARRIVED' }]])
    const aisOf = ({ meta }: Reply): string[] => meta.sources.map(({ id }: Reply) => id).filter((id: string) => id.startsWith('ais'))
    expect(aisOf(without)).toEqual([])

    const { lat, lon } = without
    const vessel = (mmsi: string, north_m: number, more = {}): AnyRow => {
      const position = { lat: lat + north_m / 111_195, lon }
      return exampleRow(vesselPositions, { ...{ mmsi, position, observed_at: NOW - 20_000, updated_at: NOW - 20_000 }, ...more })
    }
    await service.publish(vesselPositions, [
      ...[vessel('224000001', 100), vessel('224000002', -4_990), vessel('224000003', 5_010)],
      // Another source saw it in the port, later at sea.
      ...[vessel('224000004', 200, { observed_at: NOW - 40_000 }), vessel('224000004', 20_000, { source: 'aisstream' })],
    ])
    // The API looks at the feeds' health every 2 s.
    await expect.poll(async () => (await port()).vessel_count, { timeout: 10_000 }).toBe(2)
    const counted = await port()
    // The counts change faster than the list of ports.
    const maxAge = /max-age=(\d+)/.exec((await service.get('/api/maritimo/puertos/ESPMI')).headers.get('cache-control') ?? '')?.[1]
    expect(Number(maxAge)).toBeLessThanOrEqual(20)
    expect([counted.vessel_count, counted.meta.missing, aisOf(counted)]).toEqual([2, [], ['ais_receivers', 'aisstream']])
    const [most, ...others] = await list('sort=-vessel_count')
    expect(most).toMatchObject({ id: 'ESPMI', vessel_count: 2 })
    expect(new Set(others.map((one) => one.vessel_count))).toEqual(new Set([0]))
  })

  test('a dataset is silent if its feeds are off, have brought nothing yet, or are all stale', () => {
    const feedsOf = (...enabled: string[]): FeedListing[] =>
      ['ais_receivers', 'aisstream'].map((id) => ({
        ...{ id, domain: 'maritime', source: id, datasets: ['vessel_positions'], every_s: 20, urls: [], enabled: enabled.includes(id) },
      }))
    const silence = (feeds: FeedListing[], { published = true, stale = [] as string[] } = {}) =>
      silenceOf(vesselPositions, {
        system: () => ({ mode: 'live', feeds, states: new Map(), datasets: [], notices: new Map() }),
        snapshot: () => (published ? ({} as never) : null),
        isStale: (_dataset, source) => stale.includes(source?.id ?? ''),
      })
    expect(silence(feedsOf())).toBe('NOT_ENABLED')
    expect(silence(feedsOf('ais_receivers'), { published: false })).toBe('NOT_ARRIVED')
    expect(silence(feedsOf('ais_receivers'), { stale: ['ais_receivers'] })).toBe('STALE')
    expect(silence(feedsOf('ais_receivers', 'aisstream'), { stale: ['ais_receivers'] })).toBeNull()
    expect(silence(feedsOf('ais_receivers'))).toBeNull()
  })
})
