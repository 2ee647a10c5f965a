import { expect, test } from 'vitest'
import { contains } from '../../lake/places/areas.ts'
import { dgtDatex } from '../../scripts/stand-in/formats/dgt-datex.ts'
import { madridPm } from '../../scripts/stand-in/formats/madrid-pm.ts'
import { ministryJson, stationWriter } from '../../scripts/stand-in/formats/ministry-json.ts'
import { type CatalanIncident, catalanIncidentsAt } from '../../scripts/stand-in/world/catalan-incidents.ts'
import { FUEL_COLUMNS, priceDay, priceText } from '../../scripts/stand-in/world/fuel-prices.ts'
import { readingsAt } from '../../scripts/stand-in/world/madrid-readings.ts'
import { madridSensors } from '../../scripts/stand-in/world/madrid-sensors.ts'
import { roadNetwork } from '../../scripts/stand-in/world/road-network.ts'
import { livesAt, situationsAt } from '../../scripts/stand-in/world/situations.ts'
import { fillingStations, isListed } from '../../scripts/stand-in/world/stations.ts'
import { defineWorldPart, makeWorld } from '../../scripts/stand-in/world/world.ts'
import { RUSH_HOUR } from './helpers.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const MIDDAY = Date.parse('2026-03-11T12:00:00Z')
const NIGHT = Date.parse('2026-03-11T02:30:00Z')
const SUNDAY_MORNING = Date.parse('2026-03-15T07:30:00Z')
const world = makeWorld(1)
const roads = world.part(roadNetwork)
const sensors = world.part(madridSensors)
const stations = world.part(fillingStations)

/** Several workdays at one o'clock in winter, so that a single day's randomness does not decide. */
const MIDDAYS = Array.from({ length: 10 }, (_, week) => Date.parse('2026-01-14T12:00:00Z') + week * 7 * DAY)

test('about 550 situations on a workday, 190 of them beacons, the rest works, obstacles, weather, congestion and accidents', () => {
  const counts = MIDDAYS.map((instant) => Map.groupBy(livesAt(1, instant), (life) => life.kind.name))
  const mean = (of: (kinds: (typeof counts)[number]) => number): number => counts.reduce((sum, kinds) => sum + of(kinds), 0) / counts.length
  const count = (...names: string[]): number => mean((kinds) => names.reduce((sum, name) => sum + (kinds.get(name)?.length ?? 0), 0))
  expect(mean((kinds) => [...kinds.values()].flat().length)).toSatisfy((n: number) => n > 510 && n < 590)
  expect(count('beacon')).toSatisfy((n: number) => n > 165 && n < 215)
  expect(count('works', 'planned-works', 'renewal-works', 'day-works')).toSatisfy((n: number) => n > 130 && n < 200)
  expect(count('object')).toSatisfy((n: number) => n > 40 && n < 75)
  expect(count('accident', 'accident-112')).toSatisfy((n: number) => n > 10 && n < 27)
  expect(count('snow', 'fog', 'wind', 'frost')).toSatisfy((n: number) => n > 15 && n < 50)
})

test('types, severities and situations with many records are distributed as in the capture', () => {
  const situations = MIDDAYS.slice(0, 4).flatMap((instant) => situationsAt(roads, 1, instant))
  const records = situations.flatMap((situation) => situation.records)
  const share = (count: number, of: readonly unknown[]): number => count / of.length
  expect(share(situations.filter((situation) => situation.records.length > 1).length, situations)).toSatisfy(
    (n: number) => n > 0.09 && n < 0.2,
  )
  expect(Math.max(...situations.map((situation) => situation.records.length))).toBeGreaterThan(5)
  expect(share(records.filter((record) => record.severity !== null).length, records)).toSatisfy((n: number) => n > 0.15 && n < 0.32)
  expect(share(records.filter((record) => record.measure.type === 'RoadOrCarriagewayOrLaneManagement').length, records)).toSatisfy(
    (n: number) => n > 0.38 && n < 0.58,
  )
  expect(share(records.filter((record) => record.to !== null).length, records)).toSatisfy((n: number) => n > 0.4 && n < 0.62)
  expect(new Set(records.map((record) => record.id)).size).toBeGreaterThan(600)
  for (const situation of situations) expect(new Set(situation.records.map((record) => record.id)).size).toBe(situation.records.length)
})

test('beacons last minutes, works weeks, and each id has one lifetime', () => {
  const beacons = new Map<number, number>()
  for (let at = MIDDAY; at < MIDDAY + 3 * 3_600_000; at += MINUTE)
    for (const life of livesAt(1, at)) if (life.kind.name === 'beacon') beacons.set(life.id, (life.diesAt - life.bornAt) / MINUTE)
  const lives = [...beacons.values()].sort((a, b) => a - b)
  expect(lives.length).toBeGreaterThan(1000)
  expect(lives.at(-1)).toBeLessThanOrEqual(71)
  const ages = MIDDAYS.flatMap((instant) =>
    livesAt(1, instant)
      .filter((life) => life.kind.name === 'beacon')
      .map((life) => (instant - life.bornAt) / MINUTE),
  ).sort((a, b) => a - b)
  expect(ages[ages.length >> 1]).toSatisfy((n: number) => n > 14 && n < 20)
  expect(ages[Math.floor(ages.length * 0.9)]).toSatisfy((n: number) => n > 44 && n < 56)
  const works = MIDDAYS.flatMap((instant) =>
    livesAt(1, instant)
      .filter((life) => life.kind.name === 'works')
      .map((life) => (instant - life.bornAt) / DAY),
  ).sort((a, b) => a - b)
  expect(works[works.length >> 1]).toBeGreaterThan(21)
  const before = new Map(livesAt(1, MIDDAY).map((life) => [life.id, life.bornAt]))
  for (const life of livesAt(1, MIDDAY + 5 * MINUTE)) if (before.has(life.id)) expect(before.get(life.id)).toBe(life.bornAt)
})

test('moving situations change with each version, others stay constant', () => {
  const at = (instant: number) => new Map(situationsAt(roads, 1, instant).map((situation) => [situation.id, situation]))
  const [early, late] = [at(RUSH_HOUR), at(RUSH_HOUR + 30 * MINUTE)]
  const both = [...early.values()].filter((situation) => late.has(situation.id))
  const changed = both.filter((situation) => JSON.stringify(situation) !== JSON.stringify(late.get(situation.id)))
  expect(changed.length).toBeGreaterThan(5)
  expect(changed.length).toBeLessThan(both.length / 2)
  for (const situation of changed)
    expect(late.get(situation.id)?.records.some((record, nth) => record.version > (situation.records[nth]?.version ?? 0))).toBe(true)
  expect(changed.filter((situation) => situation.source === 'DGT3.0')).toEqual([])
})

test('records are on their road, in their stated province and municipality, outside networks of other publishers', () => {
  for (const situation of situationsAt(roads, 1, MIDDAY)) {
    for (const record of situation.records) {
      for (const point of [record.from, record.to].filter((end) => end !== null)) {
        expect(contains(point.municipality, point)).toBe(true)
        expect(point.municipality.province).not.toMatch(/^(01|20|48|51|52)$/)
        if (situation.source !== 'DGT3.0') expect(point.municipality.province).not.toMatch(/^(08|17|25|43)$/)
      }
      if (record.direction === 'positive') expect(record.to?.km ?? record.from.km).toBeGreaterThanOrEqual(record.from.km)
      if (record.direction === 'negative') expect(record.to?.km ?? record.from.km).toBeLessThanOrEqual(record.from.km)
    }
  }
})

test('Catalonia: about 150 incidents, most of them works, retentions in the rush hours, on roads of its four provinces', () => {
  const at = (instant: number): CatalanIncident[] => catalanIncidentsAt(roads, 1, instant)
  const count = (incidents: readonly CatalanIncident[], type: number): number =>
    incidents.filter(({ kind }) => kind.type[0] === type).length
  const mean = (instants: readonly number[], of: (incidents: readonly CatalanIncident[]) => number): number =>
    instants.reduce((sum, instant) => sum + of(at(instant)), 0) / instants.length
  const [rush, night] = [MIDDAYS.map((instant) => instant + 6 * 3_600_000), MIDDAYS.map((instant) => instant - 9 * 3_600_000)]
  expect(mean(MIDDAYS, (all) => all.length)).toSatisfy((n: number) => n > 120 && n < 185)
  expect(mean(MIDDAYS, (all) => count(all, 3))).toSatisfy((n: number) => n > 105 && n < 165)
  expect(mean(rush, (all) => count(all, 2))).toBeGreaterThan(3 * mean(night, (all) => count(all, 2)))
  const all = MIDDAYS.flatMap(at)
  expect(new Set(all.map(({ from }) => from.municipality.province))).toEqual(new Set(['08', '17', '25', '43']))
  for (const { from } of all) expect(contains(from.municipality, from)).toBe(true)
  const share = (of: (incident: CatalanIncident) => boolean): number => all.filter(of).length / all.length
  expect(share(({ from }) => from.km === 0)).toSatisfy((n: number) => n > 0.08 && n < 0.25)
  expect(share(({ from, to_km }) => to_km < from.km)).toSatisfy((n: number) => n > 0.03 && n < 0.2)
  expect(share(({ heading }) => heading !== null)).toSatisfy((n: number) => n > 0.3 && n < 0.55)
  for (const { direction, from, to_km } of all) if (direction === 'Creixent') expect(to_km).toBeGreaterThanOrEqual(from.km)
  expect(all.some(({ cause }) => cause.text.endsWith(' '))).toBe(true)
  expect(all.some(({ effect }) => effect === '')).toBe(true)
  for (const instant of MIDDAYS) expect(new Set(at(instant).map(({ id }) => id)).size).toBe(at(instant).length)
})

test('Madrid: 6,117 sensors, 300 of them on the M-30, with ids that do not repeat', () => {
  expect(sensors.length).toBe(6117)
  expect(sensors.filter((sensor) => sensor.kind === 'M30').length).toBe(300)
  expect(new Set(sensors.flatMap((sensor) => sensor.ids)).size).toBe(2 * 6117)
})

test('Madrid: more traffic in the rush hour than at midday and at night, more on workdays than on Sundays, and slow if dense', () => {
  const total = (instant: number, kind: string): number => {
    const read = readingsAt(1, instant)
    return sensors.filter((sensor) => sensor.kind === kind).reduce((sum, sensor) => sum + Math.max(0, read(sensor).intensity), 0)
  }
  for (const kind of ['URB', 'M30']) {
    expect(total(RUSH_HOUR, kind)).toBeGreaterThan(total(MIDDAY, kind))
    expect(total(MIDDAY, kind)).toBeGreaterThan(4 * total(NIGHT, kind))
    expect(total(RUSH_HOUR, kind)).toBeGreaterThan(2 * total(SUNDAY_MORNING, kind))
  }
  const speed = (instant: number): number => {
    const speeds = sensors
      .filter((sensor) => sensor.kind === 'M30')
      .map((sensor) => readingsAt(1, instant)(sensor).speed)
      .filter((value) => value >= 0)
    return speeds.reduce((sum, value) => sum + value, 0) / speeds.length
  }
  expect(speed(RUSH_HOUR)).toBeLessThan(speed(NIGHT) - 5)
})

test('Madrid: readings have the defects of the real ones', () => {
  const readings = [RUSH_HOUR, Date.parse('2026-03-11T18:00:00Z')].flatMap((instant) => sensors.map(readingsAt(1, instant)))
  const share = readings.filter((reading) => reading.error === 'S').length / readings.length
  expect(share).toSatisfy((n: number) => n > 0.05 && n < 0.12)
  expect(readings.some((reading) => reading.intensity === -1 && reading.error === 'S')).toBe(true)
  expect(readings.some((reading) => reading.intensity === -1 && reading.error === '')).toBe(true)
  expect(readings.some((reading) => reading.error === 'S' && reading.intensity > 0)).toBe(true)
  expect(readings.filter((reading) => reading.load > 100).length).toBeGreaterThan(3)
  expect(Math.max(...readings.map((reading) => reading.load))).toBeLessThanOrEqual(320)
  for (const reading of readings) expect(reading.occupancy).toBeLessThanOrEqual(100)
})

test('Madrid: consecutive publications differ in most intensities and few levels', () => {
  const [now, next] = [readingsAt(1, MIDDAY), readingsAt(1, MIDDAY + 5 * MINUTE)]
  const changed = sensors.filter((sensor) => now(sensor).intensity !== next(sensor).intensity).length / sensors.length
  const levels = sensors.filter((sensor) => now(sensor).level !== next(sensor).level).length / sensors.length
  expect(changed).toBeGreaterThan(0.6)
  expect(levels).toBeLessThan(0.3)
})

test('fuel: 12,000 stations in 52 provinces, almost all inside their municipalities', () => {
  const listed = stations.filter((station) => isListed(1, station, MIDDAY))
  expect(listed.length).toSatisfy((n: number) => n > 11_900 && n < 12_250)
  expect(new Set(listed.map((station) => station.municipality.province)).size).toBe(52)
  expect(new Set(stations.map((station) => station.id)).size).toBe(stations.length)
  expect(listed.filter((station) => station.isRestricted).length).toSatisfy((n: number) => n > 600 && n < 850)
  for (const station of listed) expect(station.hours).toMatch(/^[LMXJVSD0-9 :;\-yH]+$/)
  expect(listed.filter((station) => !contains(station.municipality, station)).length).toBeLessThan(10)
})

test('fuel: stations with a kilometre are on that road, near enough to each other to draw most main roads', () => {
  const network = world.part(roadNetwork)
  const roads = new Map([...network.stretches.values()].flat().map(({ road }) => [road.name, road]))
  const kmByRoad = new Map<string, number[]>()
  for (const { address, lat, lon } of stations) {
    const [, name = '', km = ''] =
      /^(?:CARRETERA|CR|AUTOVIA) ([A-Z]{1,2}-\d+[A-Z]?)(?: \(MRG\.DCHO\.\))?(?: KM\.|,) (\d+(?:,\d)?)$/.exec(address) ?? []
    const road = roads.get(name)
    // Three stations are misplaced on purpose.
    if (!road?.isMain || lat < 27 || lon > 5) continue
    const at = network.pointAt(road, Number(km.replace(',', '.')))
    expect([address, Math.abs((at?.lat ?? 0) - lat) + Math.abs((at?.lon ?? 0) - lon) < 0.01]).toEqual([address, true])
    kmByRoad.set(name, [...(kmByRoad.get(name) ?? []), Number(km.replace(',', '.'))])
  }
  let [drawn_km, all_km] = [0, 0]
  for (const [name, all] of kmByRoad) {
    const sorted = all.sort((one, other) => one - other)
    for (const [nth, km] of sorted.slice(1).entries()) if (km - (sorted[nth] as number) <= 5) drawn_km += km - (sorted[nth] as number)
    all_km += (roads.get(name)?.ways.at(-1)?.km ?? 0) - (roads.get(name)?.ways[0]?.km ?? 0)
  }
  expect(drawn_km / all_km).toBeGreaterThan(0.4)
})

test('fuel: some thousands of prices change per day, some hundreds per hour, and few stations open or close', () => {
  const petrol = FUEL_COLUMNS.find((column) => column.field === 'Precio Gasolina 95 E5')
  if (!petrol) throw new Error('no petrol')
  const prices = (instant: number): string[] => stations.map((station) => priceText(1, station, petrol, priceDay(1, station, instant)))
  const differences = (a: string[], b: string[]): number => a.filter((price, at) => price !== b[at]).length
  const [today, hourLater, tomorrow] = [prices(MIDDAY), prices(MIDDAY + 60 * MINUTE), prices(MIDDAY + DAY)]
  expect(differences(today, tomorrow)).toSatisfy((n: number) => n > 1500 && n < 6000)
  expect(differences(today, hourLater)).toSatisfy((n: number) => n > 30 && n < 1500)
  const sold = today.filter((price) => price !== '')
  expect(sold.length / today.length).toSatisfy((n: number) => n > 0.88 && n < 0.93)
  for (const price of sold) expect(price).toMatch(/^[01],\d{3}$/)
  const moved = stations.filter((station) => isListed(1, station, MIDDAY) !== isListed(1, station, MIDDAY + 30 * DAY)).length
  expect(moved).toSatisfy((n: number) => n > 3 && n < 60)
})

test('fuel: the islands and Ceuta and Melilla are cheaper', () => {
  const petrol = FUEL_COLUMNS.find((column) => column.field === 'Precio Gasolina 95 E5')
  if (!petrol) throw new Error('no petrol')
  const median = (province: string): number => {
    const prices = stations
      .filter((station) => station.municipality.province === province)
      .map((station) => priceText(1, station, petrol, priceDay(1, station, MIDDAY)))
    const sorted = prices
      .filter((price) => price !== '')
      .map((price) => Number(price.replace(',', '.')))
      .sort((a, b) => a - b)
    return sorted[sorted.length >> 1] as number
  }
  for (const province of ['35', '38', '51', '52']) expect(median(province)).toBeLessThan(median('28') - 0.05)
})

test('documents are written fast: fuel in a second, pm.xml and DGT in 300 ms', () => {
  // Processor time, best of five: other work on the machine does not count.
  const best = (make: () => unknown): number =>
    Math.min(
      ...[1, 2, 3, 4, 5].map(() => {
        const begun = process.cpuUsage()
        make()
        const { user, system } = process.cpuUsage(begun)
        return (user + system) / 1000
      }),
    )
  expect(best(() => dgtDatex(situationsAt(roads, 1, MIDDAY), MIDDAY))).toBeLessThan(300)
  expect(best(() => madridPm({ sensors: sensors, readings: readingsAt(1, MIDDAY), publishedAt: MIDDAY }))).toBeLessThan(300)
  const fuel = (): string => {
    // A new writer, without a cache from the previous publication.
    const write = stationWriter(1)
    return ministryJson(
      stations.map((station) => write(station, MIDDAY)),
      MIDDAY,
    )
  }
  expect(best(fuel)).toBeLessThan(1000)
})

test('a part of a world is computed once, on first use, and may use other parts; another world computes its own', () => {
  let made = 0
  const trains = defineWorldPart(({ seed }) => ({ seed, nth: ++made }))
  const timetable = defineWorldPart((of) => ({ trains: of.part(trains), scale: of.scale }))
  const one = makeWorld(7, 'small')
  expect(made).toBe(0)
  expect(one.part(timetable)).toEqual({ trains: { seed: 7, nth: 1 }, scale: 'small' })
  expect(one.part(timetable)).toBe(one.part(timetable))
  expect(one.part(trains)).toBe(one.part(timetable).trains)
  expect(makeWorld(8).part(trains)).toEqual({ seed: 8, nth: 2 })
})
