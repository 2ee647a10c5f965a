import { railPositions, railTripUpdates } from '../../../lake/datasets/rail/trains.ts'
import { foldName } from '../../../lake/places/names.ts'
import { isoInstant, madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, type Endpoint, keyedList } from '../../kernel/endpoint.ts'
import { onlyOfRows } from '../../kernel/example.ts'
import { field, type RecordShape, record } from '../../kernel/fields.ts'
import { type Param, textParam } from '../../kernel/params/params.ts'
import { municipalityCodes } from '../../kernel/params/params-place.ts'
import { instantParam } from '../../kernel/params/params-time.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { checkCovered } from '../transit/timetable-versions.ts'
import { boardEntry, boardFields, boardOf, isOf, reaches } from './board.ts'
import { type BoardAsk, LIVE_AHEAD_MS } from './board-status.ts'
import { lineParam } from './known-names.ts'
import { lacksNucleo, liveTrips } from './live-trips.ts'
import { NETWORK_TABLES, type RailNetwork, railNetwork } from './network.ts'
import { nearestStation, networkParam, type Station, stationId, stationsOf } from './stations.ts'
import { DAYS_AROUND, dayKey, timetableDay } from './timetable-day.ts'
import { feedsOfId, railTimetables, restsOnTimetables, sourcesBesideId, timetableFeeds, timetableSpans } from './timetable-versions.ts'
import { TRAINS_PAGE } from './train.ts'

const UNREGISTERED: Parameters<typeof stationsOf>[1] = new Map()

/**
 * The ids of the stations that a text means: the one with this code, else those whose name has words that begin like its words,
 * and those in the municipality of this name. Throws `InvalidParam` without any.
 */
function namedStations(network: RailNetwork, parameter: string, text: string): ReadonlySet<string> {
  const stations = stationsOf(network, UNREGISTERED)
  const byCode = stations.filter(({ id }) => id.toLowerCase() === text.toLowerCase())
  if (byCode.length > 0) return idsOf(byCode)
  const wanted = foldName(text).split(' ')
  const municipalities = municipalityCodes(text, null)
  const named = stations.filter(({ name, municipality_code }) => {
    if (municipality_code !== null && municipalities.includes(municipality_code)) return true
    const words = foldName(name).split(' ')
    return wanted.every((one) => one !== '' && words.some((word) => word.startsWith(one)))
  })
  if (named.length > 0) return idsOf(named)
  const near = (): string | null =>
    nearest(
      text,
      stations.map(({ name }) => name),
    )
  throw new InvalidParam('expected the code of a station, words of its name, or its municipality', { parameter, value: text, near })
}

const idsOf = (stations: readonly Station[]): ReadonlySet<string> => new Set(stations.map(({ id }) => id))

/** Boards change by the minute; live feeds are published every 20 s. */
const CLOCK_S = 20

const at = instantParam(
  'Moment of the board; by default now. For a past moment, trains that are still published have live data. All others are as planned, even if they were late or cancelled.',
  '2026-08-22T03:00:00Z',
)

const to = textParam(
  'Trains that later stop at a station, on the way or at their end: its code, words of its name, or its municipality; accents and case are ignored. Only trains in a timetable.',
  { max: 60, example: 'Aranjuez' },
)

/** Coverage of the timetables behind a board. */
const COVERED = {
  timetable_from: field.instant("Begin of the timetables of the station's networks, or of the requested one.", '2026-08-21T22:00:00.000Z'),
  timetable_until: field.instant(
    'End of the timetables. If it is less than 24 h after the moment, the board ends with the last trains of the day before it.',
    '2026-08-22T22:00:00.000Z',
  ),
} as const

function boardEndpoint(spec: {
  readonly path: string
  readonly summary: string
  readonly summary_es: string
  readonly side: BoardAsk['side']
  readonly name: string
  readonly what: string
  /** The field that says whether passengers may use the train as the board implies, and that use. */
  readonly use: 'pickup_type' | 'drop_off_type'
  readonly verb: string
  readonly more: { readonly to?: Param<string | null> }
  readonly record: RecordShape<typeof boardFields>
}): Endpoint {
  return defineEndpoint({
    path: spec.path,
    domain: 'rail',
    plan: 'FREE',
    // Positions require a higher plan: a board only shows the platform of a train in the station.
    excerpts: [{ of: railPositions, columns: ['platform'] }],
    ...{ summary: spec.summary, summary_es: spec.summary_es },
    about: `${spec.what} within 24 h after the moment, and earlier ones that have not called here yet. Live data is joined to the timetable; without live data is_live is false. A train in the timetables of both networks is one entry. Nobody may ${spec.verb} here if ${spec.use} is NONE. Past performance: /api/trenes/puntualidad.`,
    explained: TRAINS_PAGE,
    params: { id: stationId, at, line: lineParam, network: networkParam, ...spec.more },
    returns: keyedList(spec.name, spec.record, ['service_date', 'network', 'trip_id', 'stop_sequence'], {
      sorts: ['scheduled_at', 'expected_at', 'delay_s'],
      order: 'scheduled_at',
      limit: { default: 20, max: 20_000 },
      counts: COVERED,
    }),
    read: {
      kind: 'memory',
      from: [railTripUpdates, railPositions],
      lake: NETWORK_TABLES,
      otherSources: ({ id }) => sourcesBesideId(id),
      parts: ({ id, network }) => (network === null ? feedsOfId(id) : timetableFeeds(network)),
      feedsOfId: ({ id }) => feedsOfId(id),
      suggestion: nearestStation,
      clockGranularity_s: CLOCK_S,
      answer: async ({ cached, states }, p, now) => {
        const network = await cached(railNetwork, '')
        const station = network.stations.get(p.id)
        if (!station) return null
        const stations = typeof p.to === 'string' ? namedStations(network, 'to', p.to) : null
        const moment = p.at ?? now
        const networks = p.network === null ? station.networks : [p.network]
        const value = p.at === null ? null : isoInstant(p.at)
        const covered = checkCovered(await cached(timetableSpans, ''), {
          at: moment,
          parameter: 'at',
          value,
          networks,
          tables: railTimetables,
        })
        const own = station.networks[0] ?? ''
        const days = await Promise.all(DAYS_AROUND.map((days) => cached(timetableDay, dayKey(madridDate(moment, days), own))))
        const all = boardOf({ side: spec.side, stop_id: p.id, at: moment, now, days, live: liveTrips(states, now) })
        const nucleo = station.lines.flatMap(({ nucleo_code }) => nucleo_code ?? [])
        return {
          drafts: all.filter((one) => isOf(one, p) && (stations === null || reaches(one, stations))),
          finish: boardEntry,
          counts: { timetable_from: covered.from, timetable_until: covered.to },
          restsOn: restsOnTimetables(station.networks, [railTripUpdates, railPositions]),
          isLacking: Math.abs(moment - now) <= LIVE_AHEAD_MS && lacksNucleo([states[0]], { network: p.network, nucleo }),
        }
      },
    },
    example: { id: '17000', at: onlyOfRows('2026-08-22T03:00:00Z') },
  })
}

/** Next departures of a station. */
export const stationDepartures = boardEndpoint({
  path: '/api/trenes/estaciones/{id}/salidas',
  summary: 'Next departures of a railway station, with delay and platform',
  summary_es: 'Próximas salidas de una estación, con retraso y vía',
  side: 'DEPARTURES',
  name: 'departures',
  what: 'Trains about to depart',
  use: 'pickup_type',
  verb: 'board',
  more: { to },
  record: record('RailDeparture', 'A departure from a station.', boardFields),
})

/** Next arrivals at a station. */
export const stationArrivals = boardEndpoint({
  path: '/api/trenes/estaciones/{id}/llegadas',
  summary: 'Next arrivals at a railway station, with delay and platform',
  summary_es: 'Próximas llegadas a una estación, con retraso y vía',
  side: 'ARRIVALS',
  name: 'arrivals',
  what: 'Trains about to arrive',
  use: 'drop_off_type',
  verb: 'get off',
  more: {},
  record: record('RailArrival', 'An arrival at a station.', boardFields),
})
