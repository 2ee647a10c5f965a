import { defineStandIn } from '../../define.ts'
import { ARRIVAL_DELAYS, ENROUTE_DELAYS, eurocontrolCsv, TRAFFIC } from '../../formats/eurocontrol-csv.ts'
import { type Edition, type FeedStandIn, keptOf, type Publisher } from '../../publisher.ts'
import { AIRPORTS, type Airport } from '../../world/aviation/airports.ts'
import { airportDay, sumOf } from '../../world/aviation/days.ts'
import type { World } from '../../world/world.ts'

const DAY = 86_400_000
const FOLDER = '/performance/data/download/csv'
/** Delay of a day's publication, in days. */
const PUBLISHED_AFTER = 2
const LARGEST = AIRPORTS.slice(0, 12)
const CANARIES = AIRPORTS.filter(({ zone }) => zone === 'Atlantic/Canary')
const MAINLAND = AIRPORTS.filter(({ zone }) => zone !== 'Atlantic/Canary')

/** The days (numbers since 1970) of a year in a file; a small file starts late in the year. */
function daysOf(world: World, { resource, publishedAt }: Edition): number[] {
  const [first, end] = [0, 1].map((years) => Date.UTC(Number(resource) + years, 0) / DAY) as [number, number]
  const last = Math.min(end, Math.floor(publishedAt / DAY) - PUBLISHED_AFTER)
  const begin = world.scale === 'small' ? Math.max(first, last - 40) : first
  return Array.from({ length: Math.max(0, last - begin) }, (_, at) => begin + at)
}

/** A file for each year. The publisher packs it by bzip2; here it is plain text. */
function yearly(feed: string, file: string, write: (world: World, edition: Edition, days: readonly number[]) => string): FeedStandIn {
  const path = (year: string): string => `${FOLDER}/${file}_${year}.csv.bz2`
  return defineStandIn(feed, {
    path: path('2024'),
    route(asked) {
      const [, year] = new RegExp(`^${FOLDER}/${file}_(\\d{4})\\.csv\\.bz2$`).exec(asked) ?? []
      return year !== undefined && Number(year) >= 2024 ? { kind: 'document', resource: year } : null
    },
    contentType: 'text/csv; charset=utf-8',
    write: (world, edition) => write(world, edition, keptOf(daysOf(world, edition), edition.variant)),
    captures: {
      folder: 'eurocontrol',
      archive: { resourceOf: (name) => new RegExp(`^${file}_(\\d{4})\\.csv\\.bz2$`).exec(name)?.[1] ?? null },
    },
  })
}

const airportsIn = (world: World): readonly Airport[] =>
  world.scale === 'small' ? LARGEST : AIRPORTS.filter(({ movements_k }) => movements_k > 1)

const traffic = yearly('eurocontrol_traffic', 'airport_traffic', (world, { variant }, days) =>
  eurocontrolCsv(TRAFFIC.columns, days, {
    linesOf: (day) => [
      ['LFPG', 'Paris', 'France', 600, 600, 1200, '', '', ''],
      ...airportsIn(world).map((airport) => TRAFFIC.line(airport, airportDay(world, airport, day))),
    ],
    hasUnknownCodes: variant.hasUnknownCodes,
  }),
)

const arrivalDelays = yearly('eurocontrol_arrival_delays', 'apt_dly', (world, { variant }, days) =>
  eurocontrolCsv(ARRIVAL_DELAYS.columns, days, {
    linesOf: (day) => airportsIn(world).map((airport) => ARRIVAL_DELAYS.line(airport, airportDay(world, airport, day))),
    hasUnknownCodes: variant.hasUnknownCodes,
  }),
)

const ofAirspace = (world: World, airports: readonly Airport[], day: number) =>
  sumOf(airports.map((airport) => airportDay(world, airport, day)))

const ansp = yearly('eurocontrol_enroute_ansp', 'ert_dly_ansp', (world, { variant }, days) =>
  eurocontrolCsv(ENROUTE_DELAYS.columns, days, {
    linesOf: (day) => [
      ENROUTE_DELAYS.line('DSNA', 'ANSP (AUA)', ofAirspace(world, LARGEST, day)),
      ENROUTE_DELAYS.line('ENAIRE', 'ANSP (AUA)', ofAirspace(world, LARGEST, day)),
    ],
    hasUnknownCodes: variant.hasUnknownCodes,
  }),
)

const fir = yearly('eurocontrol_enroute_fir', 'ert_dly_fir', (world, { variant }, days) =>
  eurocontrolCsv(ENROUTE_DELAYS.columns, days, {
    linesOf: (day) => {
      const [mainland, islands] = [MAINLAND.slice(0, 9), CANARIES.slice(0, 3)]
      return [
        ENROUTE_DELAYS.line('Spain', 'COUNTRY (FIR)', ofAirspace(world, [...mainland, ...islands], day)),
        ENROUTE_DELAYS.line('Spain Canarias', 'COUNTRY (FIR)', ofAirspace(world, islands, day)),
        ENROUTE_DELAYS.line('Spain Continental', 'COUNTRY (FIR)', ofAirspace(world, mainland, day)),
      ]
    },
    hasUnknownCodes: variant.hasUnknownCodes,
  }),
)

/** EUROCONTROL: daily statistics of airports and airspace, a file for each year. */
export const eurocontrol: Publisher = { name: 'EUROCONTROL', feeds: [traffic, arrivalDelays, ansp, fir] }
