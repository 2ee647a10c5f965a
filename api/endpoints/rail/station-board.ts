import { railPositions } from '../../../lake/datasets/rail/positions.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trip-updates.ts'
import { col } from '../../../lake/schema/columns.ts'
import { isoInstant, madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, type Endpoint } from '../../define/endpoint.ts'
import { onlyOfRows } from '../../define/example.ts'
import { type RecordShape, record } from '../../define/fields.ts'
import { instantParam } from '../../define/params-time.ts'
import { checkCovered } from '../transit/timetable-span.ts'
import { boardEntry, boardOf, isOf } from './board.ts'
import { boardFields } from './board-fields.ts'
import { type BoardAsk, TOLD_MS } from './board-told.ts'
import { lineParam } from './known-names.ts'
import { liveTrips } from './live-trips.ts'
import { lacksNucleo } from './missing-nucleos.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { networkParam } from './station.ts'
import { nearestStation, stationId } from './station-detail.ts'
import { DAYS_AROUND, timetableDay } from './timetable-day.ts'
import { railTimetables, timetableFeeds, timetableSpans } from './timetable-versions.ts'

/** Trains come and go by the minute; live feeds are published every 20 s. */
const CLOCK_S = 20

const at = instantParam(
  'Moment that the board is of; now unless given. Of a moment that has passed a board tells what is still published of its trains, and of all others the plan: also of those that were late or cancelled.',
  '2026-08-22T03:00:00Z',
)

/** What a board says of the timetables behind it. */
const COVERED = {
  timetable_from: col.instant(0, 'Since when there are timetables of the networks of the station, or of the one asked for.', {
    example: '2026-08-21T22:00:00.000Z',
  }),
  timetable_until: col.instant(
    0,
    'Until when there are. Where that is less than 24 h after the moment, the board lacks what would follow: it ends with the last trains of the day before it.',
    { example: '2026-08-22T22:00:00.000Z' },
  ),
} as const

function boardEndpoint(spec: {
  readonly path: string
  readonly summary: string
  readonly side: BoardAsk['side']
  readonly name: string
  readonly what: string
  /** The field that says whether travellers may do what the board is about, and what that is. */
  readonly use: 'pickup_type' | 'drop_off_type'
  readonly verb: string
  readonly record: RecordShape<typeof boardFields>
}): Endpoint {
  return defineEndpoint({
    path: spec.path,
    domain: 'rail',
    plan: 'FREE',
    // Where trains are is for a higher plan: a board only says at which platform one stands.
    excerpts: [{ of: railPositions, columns: ['platform'] }],
    summary: spec.summary,
    about: `${spec.what} within 24 h after the moment, and those planned before it that have not been here yet. Live data joins the timetable of the service day; without it the timetable answers alone, with is_live false. A train that the timetables of both networks have is one entry, found by the network, line and product of either. Trains that no timetable has are listed where their next stop is this station. A trip of which a single stop is published is on the board of departures and on that of arrivals, without origin and destination. Entries with ${spec.use} NONE are trains that nobody may ${spec.verb} here. How trains ran is not told here but by /api/trenes/puntualidad, and where one has been by /api/trenes/posiciones/{id}/recorrido.`,
    params: { id: stationId, at, line: lineParam, network: networkParam },
    returns: {
      kind: 'list',
      name: spec.name,
      record: spec.record,
      key: ['service_date', 'network', 'trip_id', 'stop_sequence'],
      sorts: ['scheduled_at', 'expected_at', 'delay_s'],
      order: 'scheduled_at',
      limit: { default: 20, max: 20_000 },
      counts: COVERED,
    },
    read: {
      kind: 'memory',
      from: [railTripUpdates, railPositions],
      lake: NETWORK_TABLES,
      parts: ({ network }) => timetableFeeds(network),
      near: nearestStation,
      clock_s: CLOCK_S,
      answer: async ({ slice, states }, p, now) => {
        const station = (await slice(railNetwork, '')).stations.get(p.id)
        if (!station) return null
        const moment = p.at ?? now
        const networks = p.network === null ? station.networks : [p.network]
        const value = p.at === null ? null : isoInstant(p.at)
        const covered = checkCovered(await slice(timetableSpans, ''), {
          at: moment,
          parameter: 'at',
          value,
          networks,
          tables: railTimetables,
        })
        const days = await Promise.all(DAYS_AROUND.map((days) => slice(timetableDay, madridDate(moment, days))))
        const all = boardOf({ side: spec.side, stop_id: p.id, at: moment, now, days, live: liveTrips(states, now) })
        const nucleo = station.lines.flatMap(({ nucleo_code }) => nucleo_code ?? [])
        return {
          drafts: p.line === null && p.network === null ? all : all.filter((one) => isOf(one, p)),
          finish: boardEntry,
          counts: { timetable_from: covered.from, timetable_until: covered.to },
          isLacking: Math.abs(moment - now) <= TOLD_MS && lacksNucleo([states[0]], { network: p.network, nucleo }),
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
  side: 'DEPARTURES',
  name: 'departures',
  what: 'Trains that are to leave',
  use: 'pickup_type',
  verb: 'board',
  record: record('RailDeparture', 'A train that leaves a station.', boardFields),
})

/** Next arrivals at a station. */
export const stationArrivals = boardEndpoint({
  path: '/api/trenes/estaciones/{id}/llegadas',
  summary: 'Next arrivals at a railway station, with delay and platform',
  side: 'ARRIVALS',
  name: 'arrivals',
  what: 'Trains that are to arrive',
  use: 'drop_off_type',
  verb: 'get off',
  record: record('RailArrival', 'A train that arrives at a station.', boardFields),
})
