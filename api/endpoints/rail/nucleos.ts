import { RAIL_NUCLEOS } from '../../../lake/datasets/rail/codes.ts'
import { railRoutes } from '../../../lake/datasets/rail/timetable.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field, maybe, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { dateParam } from '../../kernel/params/params-time.ts'
import { withExample } from '../common-fields.ts'
import { checkCovered } from '../transit/timetable-versions.ts'
import { NETWORK_TABLES, type NetworkRoute, type RailNetwork, railNetwork } from './network.ts'
import { type TimetableDay, timetableDay } from './timetable-day.ts'
import { besideRenfe, railTimetables, timetableFeeds, timetableSpans } from './timetable-versions.ts'

/** Midnight starts a new day: at most a minute late. */
const CLOCK_S = 60
/** The network with núcleos. */
const COMMUTER = 'CERCANIAS'

const { columns } = railRoutes
const count = (about: string, example: number) => field.integer(about, '1', example)

const lineFields = {
  line: withExample(columns.short_name, 'C1'),
  ...pick(columns, 'route_type', 'color', 'text_color'),
  origin: withExample(
    optional(columns.origin_name, 'First station of the route with most trips; null for a line without trips.'),
    'Madrid-Chamartín-Clara Campoamor',
  ),
  destination: withExample(optional(columns.destination_name, 'Last station of it.'), 'Aeropuerto T4'),
  routes: count('Routes of the newest timetable, including those without trips.', 1),
  stations: count('Stations where its trips stop.', 4),
  trips: count('Trips on the service day.', 1),
} as const

const nucleoFields = {
  id: withExample(field.text('Code of the núcleo, the first part of ids.'), '10'),
  name: maybe.text('Name, in English on request.', 'Madrid'),
  service_date: field.date('Service day of the trip counts.', '2026-08-22'),
  stations: count('Stations where its trips stop, by the newest timetable.', 4),
  routes: count('Routes of the newest timetable, including those without trips.', 1),
  trips: count('Trips on the service day.', 1),
  lines: nested.objects('Its lines, including buses.', lineFields),
} as const

type Nucleo = ValueOf<typeof nucleoFields>

const labelOf = (code: string, lang: 'es' | 'en'): string | null =>
  (RAIL_NUCLEOS.codes as Readonly<Record<string, { readonly es: string; readonly en: string } | undefined>>)[code]?.[lang] ?? null

const nucleo = record('RailNucleo', 'A commuter network (núcleo) and its lines.', nucleoFields, {
  localise: (one, lang) => (lang === 'en' ? { ...one, name: labelOf(one.id, 'en') } : one),
})

/** Commuter networks. */
export const nucleoList = defineEndpoint({
  path: '/api/trenes/nucleos',
  plan: 'FREE',
  summary: 'Commuter networks and their lines',
  summary_es: 'Núcleos de cercanías y sus líneas',
  params: { date: dateParam('Service day of the trip counts; by default today in Madrid.', '2026-08-22') },
  returns: listReturn('nucleos', nucleo, {
    sorts: ['id', 'trips', 'stations'],
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: NETWORK_TABLES,
    otherSources: besideRenfe,
    parts: () => timetableFeeds(COMMUTER),
    clockGranularity_s: CLOCK_S,
    answer: async ({ cached }, p, now) => {
      const date = p.date ?? madridDate(now)
      const { start } = dayBounds(date)
      checkCovered(await cached(timetableSpans, ''), {
        at: start,
        parameter: 'date',
        value: p.date,
        networks: [COMMUTER],
        tables: railTimetables,
      })
      return nucleosOf(await cached(railNetwork, ''), await cached(timetableDay, date))
    },
  },
  example: { date: dayFromToday(0, '2026-08-22') },
})

function nucleosOf({ routes, stations }: RailNetwork, day: TimetableDay): Nucleo[] {
  const byNucleo = Map.groupBy(
    [...routes.values()].filter(({ nucleo_code }) => nucleo_code !== null),
    ({ nucleo_code }) => nucleo_code as string,
  )
  const trips = counted(day.trips.map(({ route }) => keyOf(route.nucleo_code, route)))
  const stops = counted([...stations.values()].flatMap(({ lines }) => lines.map((line) => keyOf(line.nucleo_code, line))))
  const stationsOf = (code: string): number =>
    [...stations.values()].filter(({ lines }) => lines.some(({ nucleo_code }) => nucleo_code === code)).length
  return [...byNucleo].map(([code, own]) => {
    const lines = [...Map.groupBy(own, (route) => keyOf(code, route))]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, ofLine]) => lineOf(ofLine, { stations: stops.get(key) ?? 0, trips: trips.get(key) ?? 0 }))
    return {
      id: code,
      name: labelOf(code, 'es'),
      service_date: day.date,
      stations: stationsOf(code),
      routes: own.length,
      trips: lines.reduce((sum, line) => sum + line.trips, 0),
      lines,
    }
  })

  function lineOf(ofLine: readonly NetworkRoute[], counts: { readonly stations: number; readonly trips: number }): Nucleo['lines'][number] {
    const main = ofLine.reduce((most, route) => (route.trips > most.trips ? route : most))
    const isWhole = main.stop_ids.length > 1
    const nameOf = (stop_id: string | undefined): string | null => (stop_id === undefined ? null : (stations.get(stop_id)?.name ?? null))
    return {
      line: main.short_name,
      ...pick(main, 'route_type', 'color', 'text_color'),
      // With a single stop, it is unknown which end it is.
      origin: isWhole ? nameOf(main.stop_ids[0]) : null,
      destination: isWhole ? nameOf(main.stop_ids.at(-1)) : null,
      routes: ofLine.length,
      ...counts,
    }
  }
}

function keyOf(nucleo_code: string | null, line: { readonly short_name: string | null; readonly route_type: string }): string {
  return `${nucleo_code} ${line.short_name} ${line.route_type}`
}

function counted(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
