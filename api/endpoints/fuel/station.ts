import { FUEL_PRODUCTS, reliablePosition } from '../../../lake/datasets/fuel/codes.ts'
import { fuelPrices, fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { foldName, nameKeys } from '../../../lake/places/names.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { offsetAt } from '../../../lake/schema/time.ts'
import type { State, StatesOf } from '../../kernel/endpoint.ts'
import { field, nested, pick, projection, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, placeFilter } from '../../kernel/filters.ts'
import { codeParam, type Group, group, type Param, textParam } from '../../kernel/params/params.ts'
import { municipalitiesOf, municipalityParam, type PlaceFilter, provinceParam } from '../../kernel/params/params-place.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { defineMemoryFilter, type MemoryFilter } from '../../kernel/reads/filter.ts'
import { distanceM, isInside } from '../../kernel/reads/geo.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { originFields, provinceField } from '../common-fields.ts'

/** Hours of a week in minutes from Monday 00:00, as [open, close) pairs; null if the text cannot be parsed. */
type WeekHours = readonly (readonly [open: number, close: number])[] | null

const DAYS = 'LMXJVSD'
const DAY = 1440
const WEEK = 7 * DAY
const RULE = /^([LMXJVSD])(?:-([LMXJVSD]))?:\s*(.+)$/
const SPAN = /^(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})$/

const known = new Map<string, WeekHours>()

/**
 * Parses the ministry's opening hours: rules separated by `;`, each a day or range of days (L M X J V S D) with `24H`, a span,
 * or two spans joined by `y`. A span that ends at or before its begin passes midnight; days without a rule are closed.
 */
export function openingHours(text: string): WeekHours {
  const there = known.get(text)
  if (there !== undefined) return there
  const made = readWeek(text)
  // Some 1,300 texts are in use, but a hostile feed may contain any number.
  if (known.size >= 20_000) known.clear()
  known.set(text, made)
  return made
}

/** True if a station is open at a minute of the week (0 to 10,079, from Monday 00:00 on the clock of Madrid or the Canaries). */
export function isOpenAt(hours: NonNullable<WeekHours>, minute: number): boolean {
  return hours.some(([open, close]) => (minute >= open && minute < close) || (close > WEEK && minute < close - WEEK))
}

function readWeek(text: string): WeekHours {
  const hours: [number, number][] = []
  for (const rule of text.split(';')) {
    const [, first, last, spans] = RULE.exec(rule.trim()) ?? []
    if (!first || !spans) return null
    const from = DAYS.indexOf(first)
    const to = last ? DAYS.indexOf(last) : from
    for (const span of spans.split(/\s+y\s+/)) {
      const minutes = readSpan(span.trim())
      if (!minutes) return null
      for (let day = from; ; day = (day + 1) % 7) {
        hours.push([day * DAY + minutes[0], day * DAY + minutes[1]])
        if (day === to) break
      }
    }
  }
  return hours
}

function readSpan(text: string): readonly [number, number] | null {
  if (text === '24H') return [0, DAY]
  const [, fromHour, fromMinute, toHour, toMinute] = SPAN.exec(text) ?? []
  if (toMinute === undefined) return null
  const open = Number(fromHour) * 60 + Number(fromMinute)
  const close = Number(toHour) * 60 + Number(toMinute)
  if (open >= DAY || close > DAY || Number(fromMinute) > 59 || Number(toMinute) > 59) return null
  // Stations write 23:59 for midnight.
  const end = close === DAY - 1 ? DAY : close
  return [open, end <= open ? end + DAY : end]
}

const { columns } = fuelStations
const p = fuelPrices.columns

/** A price in a station's list. */
const priceFields = {
  price: p.price,
  price_unit: p.price_unit,
  price_issue: p.price_issue,
  updated_at: field.instant('Publication that last changed the price.', '2025-09-27T16:05:47.000Z'),
} as const

/** Fields of a station. */
export const stationFields = {
  id: columns.station_id,
  operator: columns.brand,
  ...pick(columns, 'address', 'road', 'km', 'locality', 'postal_code', 'municipality', 'municipality_code'),
  province: provinceField(columns.province_code),
  ...pick(columns, 'province_code', 'position', 'position_issue', 'side'),
  schedule: columns.opening_hours,
  ...pick(columns, 'sale_type', 'reporter', 'bioethanol_pct', 'methyl_ester_pct'),
  prices: nested.map('Pump prices, taxes included, by product; products that are not sold are absent.', FUEL_PRODUCTS, priceFields),
  ...originFields(columns, { source_id: columns.station_id }),
} as const

/** Description of stations along a road. */
export const ABOUT_ROAD =
  'Road and kilometre come from the address of a station; one kilometre in ten uses an older count. Add bbox, or lat, lon and radius, to be sure of a stretch.'

/** Description of stations around a point or in a box. */
export const ABOUT_POSITION = 'A position that contradicts the address (`position_issue`) is shown but not used in searches.'

/** A filling station with its prices. */
const station = record('GasStation', 'A filling station with its prices.', stationFields)

export type Station = ValueOf<typeof stationFields>

/** Source datasets of a station. */
export const STATION_DATASETS = [fuelStations, fuelPrices] as const

/** The parameter `fuel`: a product. */
export const fuelParam = codeParam('Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' })

/** The filter `fuel`: stations that sell the product, or one of several. */
export function sellsFilter<T extends string | readonly string[] | null>(fuel: Param<T>): MemoryFilter<'fuel', T, Station> {
  return defineMemoryFilter({
    name: 'fuel',
    param: fuel,
    matches: (products) => (one) => [products].flat().some((product) => Object.hasOwn(one.prices, product)),
    present: { fuel: ({ prices }) => Object.keys(prices) },
  })
}

const toStation = projection(fuelStations, station, {
  prices: () => ({}),
})

/** The stations of a state with their prices, cached per state. */
export const stationsOf: (states: StatesOf<typeof STATION_DATASETS>) => readonly Station[] = memo(
  ([stations, prices]) => joined(stations, prices),
  (states) => states,
)

function joined(stations: State<typeof fuelStations>, prices: State<typeof fuelPrices>): Station[] {
  const byStation = Map.groupBy(
    prices.rows.filter((row) => row.status !== 'ENDED'),
    (row) => row.station_id,
  )
  const rank = new Map(Object.keys(FUEL_PRODUCTS.codes).map((product, at) => [product, at]))
  return stations.rows.map((row) => {
    const made = toStation(row)
    const own = (byStation.get(row.station_id) ?? []).toSorted(
      (one, other) => (rank.get(one.product) ?? 99) - (rank.get(other.product) ?? 99),
    )
    return {
      ...made,
      prices: Object.fromEntries(
        own.map(({ product, price, price_unit, price_issue, updated_at }) => [
          product,
          { price, price_unit, price_issue: price_issue ?? null, updated_at },
        ]),
      ),
      // A price change counts as a change of its station.
      updated_at: own.reduce((latest, one) => Math.max(latest, one.updated_at), made.updated_at),
    }
  })
}

const WEEK_MIN = 10_080
/** 1970-01-01 was a Thursday. */
const THURSDAY_MIN = 3 * 1440

/** True if a station is open at an instant (ms), by its published hours and its local clock; false if the hours are unknown. */
export function isOpen(one: Station, now: number): boolean {
  const hours = one.schedule === null ? null : openingHours(one.schedule)
  if (!hours) return false
  const minute = Math.floor((now + offsetAt(now, zoneOf(one.province_code))) / 60_000) + THURSDAY_MIN
  return isOpenAt(hours, minute % WEEK_MIN)
}

/** The requested place of stations, by name; null for parts that the caller leaves open. */
interface Town extends PlaceFilter {
  readonly locality: string | null
  /** Set for a municipality that does not exist; the records may have a locality with this name. */
  readonly unknown: { readonly name: string; readonly refused: InvalidParam } | null
}

/** The known place of a station. */
type Addressed = Pick<Station, 'province_code' | 'municipality_code' | 'locality'>

const townParams: Group<Town> = group(
  {
    province: provinceParam,
    municipality: municipalityParam,
    locality: textParam(
      'Town or village of the address, a municipality or part of one; case, accents and the position of the article are ignored.',
      { max: 80, example: 'Abrera' },
    ),
  },
  ({ province, municipality, locality }) => {
    const place = { region: province, locality }
    if (municipality === null) return { ...place, municipality_codes: null, unknown: null }
    try {
      return { ...place, municipality_codes: municipalitiesOf(municipality, province), unknown: null }
    } catch (refused) {
      if (!(refused instanceof InvalidParam)) throw refused
      return { ...place, municipality_codes: [], unknown: { name: municipality, refused } }
    }
  },
)

const keysOf = memo((station: Addressed) => (station.locality === null ? [] : nameKeys(station.locality)))

/** The filters `province`, `municipality` and `locality` of stations. */
export const townFilter = defineMemoryFilter({
  name: 'place',
  param: townParams,
  matches: (town) => {
    const inPlace = placeFilter.matches(town, 0)
    const key = town.locality === null ? null : foldName(town.locality)
    return (station: Addressed) => inPlace(station) && (key === null || keysOf(station).includes(key))
  },
})

/** The filters `bbox`, or `lat`, `lon` and `radius`, by the reliable positions of stations. */
export const stationAreaFilter = defineMemoryFilter({
  ...areaFilter,
  matches: (area) => (station: Parameters<typeof reliablePosition<Point>>[0]) => isInside(area, reliablePosition(station)),
  distance: (centre) => (station) => {
    const at = reliablePosition(station)
    return at && distanceM(centre, at)
  },
})

/** Rejects an unknown municipality or locality, with a suggestion. */
export function checkTown(stations: readonly Addressed[], { place }: { readonly place: Town | null }): void {
  if (place?.unknown) {
    const { name, refused } = place.unknown
    const village = stations.find(townFilter.matches({ ...place, municipality_codes: null, locality: name }, 0))
    if (!village) throw new InvalidParam(refused.message, { parameter: 'municipality', value: name, near: refused.near })
    const of = village.municipality_code === null ? undefined : municipalityByCode(village.municipality_code)
    const where = [of?.name, village.province_code && `(${provinceByCode(village.province_code)?.name})`].filter((part) => part).join(' ')
    const expected = `expected a municipality; this is a locality of ${where}: locality=${village.locality}`
    throw new InvalidParam(expected, { parameter: 'municipality', value: name })
  }
  const locality = place?.locality ?? null
  if (locality === null || stations.some(townFilter.matches(place as Town, 0))) return
  const around = placeFilter.matches(place as Town, 0)
  throw new InvalidParam('no station there is in a locality with this name', {
    ...{ parameter: 'locality', value: locality },
    near: () => nearest(locality, new Set(stations.filter(around).flatMap((one) => one.locality ?? []))),
  })
}
