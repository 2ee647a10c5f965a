import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conditionsOf } from '../../../../api/endpoints/aviation/airports.ts'
import { airportDays, airportObservedDays, airportTraffic, arrivalAtfmDelays } from '../../../../lake/datasets/aviation/airport-days.ts'
import { airports, airportWeather } from '../../../../lake/datasets/aviation/airports.ts'
import { flights } from '../../../../lake/datasets/aviation/flights.ts'
import type { LiveChange, LiveRow } from '../../../../lake/live/types.ts'
import { airportNames } from '../../../../lake/places/airport-names.ts'
import { SPANISH_AIRPORTS } from '../../../../lake/places/airports.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { entityKey } from '../../../../lake/schema/rows.ts'
import { dayBounds, madridDate } from '../../../../lake/schema/time.ts'
import { AIRPORTS } from '../../../../scripts/stand-in/world/aviation/airports.ts'
import { FEEDS } from '../../main/feed-listings.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'
import { AT, liveRows } from './aviation-service.ts'

/** Days of Madrid up to yesterday, those of EUROCONTROL up to three days before. For Palma, EUROCONTROL alone. */
const days: readonly AnyRow[] = Array.from({ length: 45 }, (_, back): AnyRow[] => {
  const local_date = madridDate(AT, -1 - back)
  const day = { month: local_date.slice(0, 7), local_date, period_start: dayBounds(local_date).start }
  const flown = {
    flights: 1100 + back,
    movements: 1080,
    cancelled: 14 + back,
    diverted: 6,
    punctual: 800 + 2 * back,
    delay_minutes: 13_000,
  }
  const none = { flights: null, movements: null, cancelled: null, diverted: null, punctual: null, delay_minutes: null }
  const network = { nm_movements: 1100, atfm_arrivals: 540, atfm_delay_minutes: 30 * back, atfm_cause: back === 0 ? null : 'ATC_STAFFING' }
  const later = { nm_movements: null, atfm_arrivals: null, atfm_delay_minutes: null, atfm_cause: null }
  const madrid = exampleTableRow(airportDays, { ...day, iata: 'MAD', ...flown, ...(back < 3 ? later : network) })
  return back < 3 ? [madrid] : [madrid, exampleTableRow(airportDays, { ...day, iata: 'PMI', ...none, ...network })]
}).flat()

/** Three days that receivers observed; on the newest, arrivals were not received. */
const observed: readonly AnyRow[] = Array.from({ length: 3 }, (_, back): AnyRow => {
  const local_date = madridDate(AT, -2 - back)
  const day = { month: local_date.slice(0, 7), local_date, period_start: dayBounds(local_date).start }
  const counts = { observed_departures: 100 + back, observed_arrivals: back === 0 ? null : 90, coverage: 0.9 }
  return exampleTableRow(airportObservedDays, { ...day, iata: 'MAD', ...counts })
})

let service: TestService
let shown: readonly AnyRow[]
beforeAll(async () => {
  service = await startService()
  const rows = await liveRows('aena_flights', flights)
  // Few flights are diverted, and none of these is.
  const diverted = rows.find(({ airport, direction }) => airport === 'VLC' && direction === 'ARRIVAL')
  shown = rows.map((row) => (row === diverted ? { ...row, state: 'DIVERTED', actual_at: null, delay_minutes: null } : row))
  await service.publish(airports, await liveRows('airports', airports), { at: AT, feed: 'airports' })
  const reports = await liveRows('metar', airportWeather)
  // Fog in Madrid now, and in Palma hours ago.
  const fog = { visibility_m: 400, is_visibility_exceeded: false, ceiling_m: 30, weather: 'FG', wind_m_s: 1, gust_m_s: null }
  const late = { ...fog, observed_at: AT - 20 * 3_600_000 }
  const weather = reports.map((row) => ({ ...row, ...(row['iata'] === 'MAD' ? fog : row['iata'] === 'PMI' ? late : {}) }))
  await service.publish(airportWeather, weather, { at: AT, feed: 'metar' })
  await service.publish(flights, shown, { at: AT, feed: 'aena_flights' })
  for (const dataset of [airportTraffic, arrivalAtfmDelays]) await service.land(dataset, [exampleTableRow(dataset)], AT)
  await service.land(airportDays, days, AT)
  await service.land(airportObservedDays, observed, AT)
})
afterAll(() => service?.close())

const isUndone = ({ state }: AnyRow): boolean => state === 'CANCELLED' || state === 'DIVERTED'
const isLate = ({ delay_minutes }: AnyRow, minutes = 16): boolean => delay_minutes !== null && (delay_minutes as number) >= minutes
const idsOf = (rows: readonly AnyRow[]): unknown[] => rows.map((row) => row['flight_id']).sort()

describe('flights that are late, cancelled or diverted', () => {
  const listed = async (query: string): Promise<unknown[]> =>
    (await service.json(`/api/aviacion?limit=20000&${query}`)).flights.map((one: Reply) => one.id).sort()

  test('are those more than 15 minutes late, with their airport, and counts of all flights', async () => {
    const { flights: found, meta, ...counts } = await service.json('/api/aviacion?limit=20000')
    const wanted = shown.filter((row) => isLate(row) || isUndone(row))
    expect(found.map((one: Reply) => one.id).sort()).toEqual(idsOf(wanted))
    expect(meta).toMatchObject({
      missing: [],
      sources: [{ id: 'aena', commercial_use: 'no' }, { id: 'ourairports' }, { id: 'openflights' }, { id: 'awc' }, { id: 'eurocontrol' }],
    })
    expect(counts['diverted_flights']).toBeGreaterThan(0)
    expect(counts['cancelled_flights']).toBeGreaterThan(0)
    expect(counts).toMatchObject({
      ...{ total: wanted.length, shown_flights: shown.length, late_flights: shown.filter((row) => isLate(row)).length },
      cancelled_flights: shown.filter(({ state }) => state === 'CANCELLED').length,
      diverted_flights: shown.filter(({ state }) => state === 'DIVERTED').length,
    })
    const madrid = found.find((one: Reply) => one.airport === 'MAD')
    expect(madrid).toMatchObject({ airport_name: 'Aeropuerto Adolfo Suárez Madrid-Barajas', lat: 40.4719, lon: -3.5626, source: 'aena' })
    const times = found.map((one: Reply) => one.scheduled_at)
    expect(times).toEqual([...times].sort())
  })

  test('by airport, direction, time, delay and area', async () => {
    const late = shown.filter((row) => isLate(row) || isUndone(row))
    const of = (is: (row: AnyRow) => boolean): unknown[] => idsOf(late.filter(is))
    expect(await listed('airport=mad,PMI')).toEqual(of(({ airport }) => airport === 'MAD' || airport === 'PMI'))
    expect(await listed('direction=ARRIVAL')).toEqual(of(({ direction }) => direction === 'ARRIVAL'))
    const [from, to] = [AT - 7_200_000, AT].map((at) => new Date(at).toISOString())
    expect(await listed(`from=${from}&to=${to}`)).toEqual(
      of(({ scheduled_at }) => (scheduled_at as number) >= AT - 7_200_000 && (scheduled_at as number) < AT),
    )
    expect(await listed('min_delay=60')).toEqual(of((row) => isLate(row, 60) || isUndone(row)))
    expect(await listed('min_delay=0')).toEqual(idsOf(shown.filter((row) => isLate(row, 0) || isUndone(row))))
    expect(await listed('lat=28.3&lon=-16.5&radius=40000')).toEqual(of(({ airport }) => airport === 'TFN' || airport === 'TFS'))
    for (const query of ['airport=MADRID', 'direction=UP', `from=${to}&to=${from}`, 'min_delay=-1'])
      expect([query, (await service.get(`/api/aviacion?${query}`)).status]).toEqual([query, 400])
  })

  test('one flight by its number, on time or not, the newest first', async () => {
    const ofNumber = (number: unknown): AnyRow[] =>
      shown.filter(({ flight_number, codeshares }) => flight_number === number || (codeshares as unknown[]).includes(number))
    const newestFirst = (rows: readonly AnyRow[]): unknown[] =>
      rows.toSorted((one, other) => (other['scheduled_at'] as number) - (one['scheduled_at'] as number)).map((row) => row['scheduled_at'])
    const punctual = shown.find((row) => !isLate(row) && !isUndone(row) && ofNumber(row['flight_number']).length > 1) as AnyRow
    const number = String(punctual['flight_number'])
    const wanted = idsOf(ofNumber(number))
    const [airline, digits] = [number.slice(0, 2), number.slice(2)]
    const spellings = [number, number.toLowerCase(), `${airline}-${digits}`, `${airline}%20${digits}`, `${airline}0${digits}`]
    for (const spelling of [...spellings, `${punctual['airline_icao']}${digits}`])
      expect([spelling, await listed(`flight=${spelling}`)]).toEqual([spelling, wanted])
    const { flights: found } = await service.json(`/api/aviacion?flight=${number}`)
    expect(found.map((one: Reply) => Date.parse(one.scheduled_at))).toEqual(newestFirst(ofNumber(number)))
    const at = punctual['scheduled_at'] as number
    const near = ofNumber(number).filter((row) => Math.abs((row['scheduled_at'] as number) - at) <= 12 * 3_600_000)
    expect(await listed(`flight=${number}&at=${new Date(at).toISOString()}`)).toEqual(idsOf(near))
    expect(await listed(`flight=${number}&min_delay=16`)).toEqual(idsOf(ofNumber(number).filter((row) => isLate(row) || isUndone(row))))
    const shared = shown.find(({ codeshares }) => (codeshares as unknown[]).length > 0) as AnyRow
    const [partner] = shared['codeshares'] as string[]
    expect(await listed(`flight=${partner}`)).toEqual(idsOf(ofNumber(partner)))
    for (const query of ['flight=3917', 'flight=VY', 'flight=VUELING1'])
      expect([query, (await service.get(`/api/aviacion?${query}`)).status]).toEqual([query, 400])
  })

  test('the weather of the airport explains flights that are due within three hours of its report', async () => {
    const [madrid, palma] = await Promise.all(
      ['MAD', 'PMI'].map(async (iata) => (await service.json(`/api/aviacion?airport=${iata}&limit=20000`)).flights as Reply[]),
    )
    const isNear = (one: Reply): boolean => Math.abs(Date.parse(one.scheduled_at) - AT) < 2 * 3_600_000
    const near = madrid?.filter(isNear) ?? []
    expect(near.length).toBeGreaterThan(0)
    for (const { weather, cause, cause_source } of near)
      expect([weather, cause, cause_source]).toEqual([['LOW_VISIBILITY', 'LOW_CEILING'], 'WEATHER', 'METAR'])
    expect(palma?.length).toBeGreaterThan(0)
    for (const { weather, cause } of palma ?? []) expect([weather, cause]).toEqual([[], null])
    const far = madrid?.filter((one) => Math.abs(Date.parse(one.scheduled_at) - AT) > 4 * 3_600_000) ?? []
    expect(far.length).toBeGreaterThan(0)
    // The newest ATFM delay that EUROCONTROL has published is of the 22nd: no flight that is shown now is of it.
    for (const { cause } of far) expect(cause).toBeNull()
  })

  test('the cause of the ATFM delay of a day explains its late arrivals, not its departures', async () => {
    const [arrival, departure] = ['ARRIVAL', 'DEPARTURE'].map((direction) =>
      shown.find((row) => row['airport'] === 'PMI' && row['direction'] === direction && isLate(row)),
    ) as [AnyRow, AnyRow]
    const old = [arrival, departure].map((row) => ({ ...row, flight_date: '2026-10-22' }))
    await service.publish(flights, old, { at: AT, feed: 'aena_flights' })
    const { flights: found } = await service.json('/api/aviacion?airport=PMI&sort=id')
    expect(found.map((one: Reply) => [one.direction, one.cause, one.cause_source]).sort()).toEqual([
      ['ARRIVAL', 'ATC_STAFFING', 'EUROCONTROL'],
      ['DEPARTURE', null, null],
    ])
    await service.publish(flights, shown, { at: AT, feed: 'aena_flights' })
  })

  test('changes: each event of a flight, with the fields that differ', async () => {
    const [one] = shown as [AnyRow]
    const later = { ...one, state: 'DELAYED', delay_minutes: 45, observed_at: AT + 600_000, updated_at: AT + 600_000 }
    const change = (kind: LiveChange['kind'], row: AnyRow, changed: readonly string[] = []): LiveChange => ({
      ...{ kind, changed, key: entityKey(flights, row), row: row as LiveRow },
    })
    const about = { feed: 'aena_flights', at: AT }
    await service.publish(flights, shown, {
      ...about,
      changes: [change('CREATED', one), change('UPDATED', later, ['state', 'delay_minutes'])],
    })
    await service.publish(flights, shown, { ...about, changes: [change('ENDED', later)] })
    const { changes } = await service.json(`/api/aviacion/changes?airport=${one['airport']}`)
    expect(changes.map((entry: Reply) => [entry.id, entry.kind, entry.changed, entry.flight.status])).toEqual([
      [one['flight_id'], 'CREATED', [], 'ACTIVE'],
      [one['flight_id'], 'UPDATED', ['delay_minutes', 'state', 'observed_at', 'updated_at'], 'ACTIVE'],
      [one['flight_id'], 'ENDED', ['observed_at', 'updated_at', 'status', 'is_stale'], 'ENDED'],
    ])
    expect((await service.json('/api/aviacion/changes?airport=XXX')).changes).toEqual([])
    expect((await service.json(`/api/aviacion/changes?flight=${one['flight_number']}`)).changes).toHaveLength(3)
    expect((await service.json('/api/aviacion/changes?flight=XX1')).changes).toEqual([])
  })
})

describe('airports', () => {
  test('are named in Spanish, or in the requested language', async () => {
    const named = async (iata: string, lang: string): Promise<unknown> =>
      (await service.json(`/api/aviacion/aeropuertos/${iata}?lang=${lang}`)).name
    expect(await named('SVQ', 'es')).toBe('Aeropuerto de Sevilla')
    expect(await named('IBZ', 'ca')).toBe("Aeroport d'Eivissa")
    expect(await named('BIO', 'eu')).toBe('Bilboko aireportua')
    expect(await named('VGO', 'gl')).toBe('Aeroporto de Vigo')
    expect(await named('SVQ', 'en')).toBe('Seville Airport')
    expect(await named('SVQ', 'eu')).toBe('Aeropuerto de Sevilla')
    const { airports: found } = await service.json('/api/aviacion/aeropuertos?q=eivissa&lang=ca')
    expect(found.map(({ name, published_name }: Reply) => [name, published_name])).toEqual([["Aeroport d'Eivissa", 'Ibiza Airport']])
    expect(Object.keys(SPANISH_AIRPORTS).filter((iata) => airportNames(iata) === undefined)).toEqual([])
  })

  test('the catalogue by province, area and code', async () => {
    const { airports: all, total } = await service.json('/api/aviacion/aeropuertos?limit=1000')
    // Each day's edition lacks one of the smallest.
    expect(total).toBe(AIRPORTS.length - 1)
    expect(all.find((one: Reply) => one.id === 'MAD')).toMatchObject({
      ...{ icao: 'LEMD', name: 'Aeropuerto Adolfo Suárez Madrid-Barajas', type: 'LARGE_AIRPORT', province: 'Madrid', elevation_m: 609 },
      ...{
        has_scheduled_service: true,
        time_zone: 'Europe/Madrid',
        keywords: 'Barajas',
        lat: 40.4719,
        lon: -3.5626,
        source: 'ourairports',
      },
    })
    const found = async (query: string): Promise<string[]> =>
      (await service.json(`/api/aviacion/aeropuertos?${query}`)).airports.map((one: Reply) => one.id)
    expect(await found('province=Illes%20Balears')).toEqual(['IBZ', 'MAH', 'PMI'])
    expect(await found('ids=VGO,XXX')).toEqual(['VGO'])
    expect(await found('lat=28.3&lon=-16.5&radius=40000')).toEqual(['TFN', 'TFS'])
    expect(await found('q=barajas')).toEqual(['MAD'])
    expect(await found('q=malaga')).toEqual(['AGP'])
    expect(await found('q=lemd')).toEqual(['MAD'])
  })

  /** Sums of some columns over days. */
  const sumOf = (rows: readonly AnyRow[], name: string): number =>
    rows.reduce((total, row) => total + ((row[name] as number | null) ?? 0), 0)
  const rounded = (value: number, scale: number): number => Math.round(value * 10 ** scale) / 10 ** scale
  const punctualityOf = (rows: readonly AnyRow[]): Reply => {
    const [all, flown, cancelled] = ['flights', 'movements', 'cancelled'].map((name) => sumOf(rows, name)) as [number, number, number]
    return {
      ...{ flights: all, movements: flown, cancelled, diverted: sumOf(rows, 'diverted') },
      punctual_share: rounded(sumOf(rows, 'punctual') / flown, 6),
      mean_delay_minutes: rounded(sumOf(rows, 'delay_minutes') / flown, 1),
      cancelled_share: rounded(cancelled / all, 6),
    }
  }
  const networkOf = (rows: readonly AnyRow[]): Reply => ({
    ...{ nm_movements: sumOf(rows, 'nm_movements'), atfm_delay_minutes: sumOf(rows, 'atfm_delay_minutes') },
    atfm_delay_per_arrival_minutes: rounded(sumOf(rows, 'atfm_delay_minutes') / sumOf(rows, 'atfm_arrivals'), 1),
  })
  const madrid = days.filter(({ iata }) => iata === 'MAD')
  const NOTHING = { flights: null, movements: null, punctual_share: null, mean_delay_minutes: null, cancelled: null, cancelled_share: null }

  test('have the last 30 days of each source, and today', async () => {
    const { airports: all, meta } = await service.json('/api/aviacion/aeropuertos?limit=1000&sort=-movements')
    expect(meta.missing).toEqual([])
    const [first] = all
    expect(first).toMatchObject({ id: 'MAD', flights_until: '2026-10-25', network_until: '2026-10-22' })
    expect(first).toMatchObject({ ...punctualityOf(madrid.slice(0, 30)), ...networkOf(madrid.slice(3, 33)) })
    const ofToday = shown.filter((row) => row['airport'] === 'MAD' && row['flight_date'] === '2026-10-26')
    const flown = ofToday.filter(({ actual_at }) => actual_at !== null)
    expect(first.today).toMatchObject({
      ...{ date: '2026-10-26', flights: ofToday.length, movements: flown.length },
      punctual_share: rounded(flown.filter((row) => !isLate(row)).length / flown.length, 6),
      cancelled: ofToday.filter(({ state }) => state === 'CANCELLED').length,
    })
    const palma = all.find((one: Reply) => one.id === 'PMI')
    expect(palma).toMatchObject({ ...NOTHING, flights_until: null, nm_movements: 33_000, network_until: '2026-10-22' })
    expect(all.find((one: Reply) => one.id === 'VGO')).toMatchObject({ ...NOTHING, nm_movements: null, network_until: null })
  })

  test('one airport: its weather, the hours around now and twelve months', async () => {
    const one = await service.json('/api/aviacion/aeropuertos/mad')
    const near = shown.filter((row) => row['airport'] === 'MAD' && Math.abs((row['scheduled_at'] as number) - AT) <= 3_600_000)
    expect(one).toMatchObject({
      ...{ id: 'MAD', ...punctualityOf(madrid.slice(0, 30)) },
      weather: { visibility_m: 400, conditions: ['LOW_VISIBILITY', 'LOW_CEILING'] },
      now: { flights: near.length, late: near.filter((row) => isLate(row)).length },
    })
    const months = Map.groupBy(madrid, ({ month }) => month as string)
    expect(one.months).toEqual(
      [...months]
        .sort()
        .map(([month, rows]) => ({ month, ...punctualityOf(rows), ...networkOf(rows.filter((row) => row['nm_movements'] !== null)) })),
    )
    expect((await service.get('/api/aviacion/aeropuertos/XXX')).status).toBe(404)
    expect((await service.get('/api/aviacion/aeropuertos/LEMD')).status).toBe(404)
  })

  test('the series of one airport by day and month, with the figures of each source', async () => {
    const path = '/api/aviacion/aeropuertos/MAD/historico'
    const { history } = await service.json(`${path}?from=2026-10-20&to=2026-10-26`)
    expect(history).toEqual(
      madrid
        .slice(0, 6)
        .toReversed()
        .map((row) => ({
          ...{ iata: 'MAD', period_start: new Date(row['period_start'] as number).toISOString(), interval: '1d', date: row['local_date'] },
          ...punctualityOf([row]),
          ...(row['nm_movements'] === null
            ? { nm_movements: null, atfm_delay_minutes: null, atfm_delay_per_arrival_minutes: null }
            : networkOf([row])),
          ...{ observed_departures: null, observed_arrivals: null },
          coverage: 1,
        })),
    )
    const months = (await service.json(`${path}?interval=1mo`)).history
    const september = madrid.filter(({ month }) => month === '2026-09')
    expect(months.map((one: Reply) => one.period_start)).toEqual(['2026-08-31T22:00:00.000Z', '2026-09-30T22:00:00.000Z'])
    expect(months.map((one: Reply) => one.date)).toEqual(['2026-09', '2026-10'])
    expect(months[0]).toMatchObject({ ...punctualityOf(september), ...networkOf(september), coverage: rounded(september.length / 30, 6) })
    const palma = (await service.json('/api/aviacion/aeropuertos/PMI/historico?interval=1mo')).history
    expect(palma.at(-1)).toMatchObject({ ...NOTHING, nm_movements: 22 * 1100 })
    expect((await service.get('/api/aviacion/aeropuertos/XXX/historico')).status).toBe(404)
    expect((await service.json('/api/aviacion/aeropuertos/VGO/historico')).history).toEqual([])
  })

  test('flights observed by receivers are separate from reported ones, in the list and as a series', async () => {
    const shown = { observed_departures: 303, observed_arrivals: 180, observed_coverage: 0.09, observed_until: madridDate(AT, -2) }
    expect(await service.json('/api/aviacion/aeropuertos/MAD')).toMatchObject({ movements: 32_400, ...shown })
    const path = '/api/aviacion/aeropuertos/MAD/historico?from=2026-10-20&to=2026-10-26'
    const { history, meta } = await service.json(`${path}&series=OBSERVED`)
    expect(history).toHaveLength(3)
    expect(history[2]).toMatchObject({
      observed_departures: 100,
      observed_arrivals: null,
      coverage: 0.9,
      flights: null,
      nm_movements: null,
    })
    expect(meta.sources.map(({ id }: Reply) => id)).toContain('adsb_lol')
    const { history: reported } = await service.json(path)
    expect(reported.every((one: Reply) => one.observed_departures === null && one.flights !== null)).toBe(true)
  })
})

describe('where the operator has no agreement with Aena', () => {
  const reason = 'The operator has not stated an agreement with the publisher (AENA_TERMS=accepted).'
  let off: TestService
  beforeAll(async () => {
    const feeds = FEEDS.map((feed) => (feed.id === 'aena_flights' ? { ...feed, enabled: false, disabled_reason: reason } : feed))
    off = await startService({ feeds })
    await off.publish(airports, await liveRows('airports', airports), { at: AT, feed: 'airports' })
  })
  afterAll(() => off?.close())

  test('the rest answers and names the missing parts, and the sources say why', async () => {
    const { flights: none, shown_flights, meta } = await off.json('/api/aviacion')
    const missing = [
      { dataset: 'flights', reason: 'NOT_ENABLED' },
      { dataset: 'airport_weather', reason: 'NOT_ARRIVED' },
      { dataset: 'airport_traffic', reason: 'NOT_ARRIVED' },
      { dataset: 'arrival_atfm_delays', reason: 'NOT_ARRIVED' },
    ]
    expect([none, shown_flights, meta.missing]).toEqual([[], 0, missing])
    const { sources } = await off.json('/api/sources?domain=aviation')
    const feedsOf = (id: string): Reply => sources.find((one: Reply) => one.id === id).feeds
    expect(feedsOf('aena')).toEqual([{ id: 'aena_flights', cadence_s: 600, enabled: false, disabled_reason: reason }])
    expect(feedsOf('ourairports')).toMatchObject([{ id: 'airports', enabled: true, disabled_reason: null }])
  })
})

test('conditions: thresholds, and none where a measure is missing', () => {
  const nothing = { visibility_m: null, ceiling_m: null, wind_m_s: null, gust_m_s: null, weather: null }
  const of = (values: Partial<Parameters<typeof conditionsOf>[0]>): string[] => conditionsOf({ ...nothing, ...values })
  expect(of({})).toEqual([])
  expect(of({ visibility_m: 1500, ceiling_m: 150, wind_m_s: 12.8, gust_m_s: 17.1, weather: '-RA BR' })).toEqual([])
  expect(of({ visibility_m: 1499, ceiling_m: 149, wind_m_s: 12.9, weather: 'FG' })).toEqual([
    'LOW_VISIBILITY',
    'LOW_CEILING',
    'STRONG_WIND',
  ])
  expect(of({ gust_m_s: 17.2, weather: '+TSRA' })).toEqual(['STRONG_WIND', 'THUNDERSTORM'])
  expect(of({ weather: 'FZRA SN' })).toEqual(['SNOW', 'FREEZING'])
})
