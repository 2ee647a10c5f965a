import type { RailNetwork } from '../world/rail-network.ts'
import type { RailPattern, RailRoute, RailStation } from '../world/rail-parts.ts'
import {
  COMMUTER_DAYS,
  type CommuterTrip,
  commuterService,
  commuterTrips,
  isoDay,
  longDistanceTrips,
  restDaysOf,
  weekdayOf,
} from '../world/rail-trips.ts'
import { packZip, type ZipMember } from './zip.ts'

/** The input of an archive: the networks and trips of a publication. */
export interface TimetableOptions {
  readonly network: RailNetwork
  readonly seed: number
  /** First day of the calendar, days since 1970. */
  readonly day: number
  /** Time of the archive's members, ms. */
  readonly at: number
  /** Commuter networks that are left out. */
  readonly missing: readonly string[]
  /** Share of the trips that are included. */
  readonly share: number
  /** True if some routes have an unknown type. */
  readonly hasUnknownCodes: boolean
}

const PIECE_BYTES = 4 * 1024 * 1024
const BLANK = 0x20
const COMMUTER_WIDTH = 150
const LONG_DISTANCE_WIDTH = 350
const UNKNOWN_TYPE = '11'

/** Lines (header included) padded with blanks to a number of characters, in pieces. */
function* padded(header: string, lines: Iterable<string>, width: number): Generator<Buffer> {
  let room = Buffer.alloc(PIECE_BYTES, BLANK)
  let at = 0
  const put = (line: string): void => {
    // Length counts characters: an accented letter takes one more byte.
    const bytes = room.write(line, at, 'utf8')
    at += bytes + Math.max(0, width - line.length)
    room[at++] = 0x0a
  }
  put(header)
  for (const line of lines) {
    if (at + 4 * width > PIECE_BYTES) {
      yield room.subarray(0, at)
      room = Buffer.alloc(PIECE_BYTES, BLANK)
      at = 0
    }
    put(line)
  }
  yield room.subarray(0, at)
}

/** `fomento_transit.zip`: eight members, all but the shapes padded to 150 characters. */
export function cercaniasZip(options: TimetableOptions): Buffer {
  const { network, day, at, missing } = options
  const nucleos = network.nucleos.filter(({ code }) => !missing.includes(code))
  const days = Array.from({ length: COMMUTER_DAYS }, (_, nth) => day + nth)
  const member = (name: string, header: string, lines: Iterable<string>): ZipMember => ({
    name,
    pieces: padded(header, lines, COMMUTER_WIDTH),
  })
  function* trips(): Generator<CommuterTrip> {
    let nth = 0
    for (const nucleo of nucleos)
      for (const one of days) for (const trip of commuterTrips(options.seed, nucleo, one)) if (nth++ % 100 < options.share * 100) yield trip
  }
  const routes = network.commuterRoutes.filter(({ id }) => !missing.includes(id.slice(0, 2)))
  return packZip(
    [
      member('agency.txt', 'agency_id,agency_name,agency_url,agency_timezone,agency_lang,agency_phone', [
        '1071VC,Renfe Cercanias,https://www.renfe.com/es/es/cercanias,Europe/Madrid,es,(34) 912.320.320',
      ]),
      member(
        'calendar.txt',
        `service_id,${WEEKDAYS.join()},start_date,end_date`,
        nucleos.flatMap((nucleo) =>
          days.map((one) => `${commuterService(nucleo, one)},${weekdayFlags([weekdayOf(one)])},${plainDay(one)},${plainDay(one)}`),
        ),
      ),
      member(
        'routes.txt',
        'route_id,route_short_name,route_long_name,route_type,route_color,route_text_color',
        routes.map((route, nth) => routeLine(route, options.hasUnknownCodes && nth % 40 === 3)),
      ),
      { name: 'shapes.txt', pieces: unpadded('shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence', shapeLines(options)) },
      member(
        'stops.txt',
        'stop_id,stop_name,stop_lat,stop_lon,wheelchair_boarding',
        network.commuterStations.map((station) => `${stationStart(station)},${station.hasAccess ? 1 : 2}`),
      ),
      member('stop_times.txt', 'trip_id,arrival_time,departure_time,stop_id,stop_sequence', commuterStopTimes(trips())),
      member(
        'transfers.txt',
        'from_stop_id,to_stop_id,from_route_id,to_route_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time',
        [],
      ),
      member(
        'trips.txt',
        'route_id,service_id,trip_id,trip_headsign,wheelchair_accessible,block_id,shape_id',
        map(trips(), (trip) => {
          const { id } = trip.pattern.route
          return `${id},${trip.serviceId},${trip.id.padEnd(12)},${trip.isExpress ? 'CIVIS  ' : '       '},${trip.isAccessible ? 1 : 2},${trip.serviceId}${trip.trainNumber},${trip.pattern.shapeId ?? ''}`
        }),
      ),
    ],
    at,
  )
}

/** `google_transit.zip`: seven members, padded to 350 characters, without shapes. */
export function longDistanceZip(options: TimetableOptions): Buffer {
  const { network, day, at, share } = options
  const trips = [...longDistanceTrips(options.seed, network, day)].filter((_, nth) => nth % 100 < share * 100)
  const member = (name: string, header: string, lines: Iterable<string>): ZipMember => ({
    name,
    pieces: padded(header, lines, LONG_DISTANCE_WIDTH),
  })
  return packZip(
    [
      member('agency.txt', 'agency_id,agency_name,agency_url,agency_timezone,agency_lang,agency_phone', [
        '1071,RENFE OPERADORA,http://www.renfe.com,Europe/Madrid,ES,902320320',
      ]),
      member(
        'calendar_dates.txt',
        'service_id,date,exception_type',
        trips.flatMap((trip) => restDaysOf(trip).map((rest) => `${trip.serviceId},${plainDay(rest)},2`)),
      ),
      member(
        'calendar.txt',
        `service_id,${WEEKDAYS.join()},start_date,end_date`,
        trips.map(({ serviceId, from, to }) => `${serviceId},1,1,1,1,1,1,1,${plainDay(from)},${plainDay(to)}`),
      ),
      member(
        'routes.txt',
        'route_id,agency_id,route_short_name,route_long_name,route_desc,route_type,route_url,route_color,route_text_color',
        network.longDistanceRoutes.map(
          ({ id, name, color }, nth) => `${id},1071,${name},,,${options.hasUnknownCodes && nth % 40 === 3 ? UNKNOWN_TYPE : 2},,${color},`,
        ),
      ),
      member(
        'stops.txt',
        'stop_id,stop_code,stop_name,stop_desc,stop_lat,stop_lon,zone_id,stop_url,location_type,parent_station,stop_timezone,wheelchair_boarding',
        network.longDistanceStations.map(
          ({ code, name, lat, lon, hasAccess }) =>
            `${code},,${name},,${lat.toFixed(7)},${lon.toFixed(7)},,,,,Europe/Madrid,${hasAccess ? 1 : 2}`,
        ),
      ),
      member(
        'stop_times.txt',
        'trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,pickup_type,drop_off_type,shape_dist_traveled',
        longDistanceStopTimes(trips),
      ),
      member(
        'trips.txt',
        'route_id,service_id,trip_id,trip_headsign,trip_short_name,direction_id,block_id,shape_id,wheelchair_accessible',
        trips.map(
          ({ id, serviceId, train }) => `${train.pattern.route.id},${serviceId},${id},,${train.number},,,,${train.isAccessible ? 1 : 2}`,
        ),
      ),
    ],
    at,
  )
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

function weekdayFlags(weekdays: readonly number[]): string {
  return WEEKDAYS.map((_, at) => (weekdays.includes((at + 1) % 7) ? 1 : 0)).join()
}

const plainDay = (day: number): string => isoDay(day).replaceAll('-', '')

function stationStart({ code, name, lat, lon }: RailStation): string {
  return `${code},${name},${lat.toFixed(7)},${lon.toFixed(7)}`
}

function routeLine({ id, name, origin, destination, isBus, color }: RailRoute, isUnknown: boolean): string {
  const names = `${origin.name.slice(0, 40).padEnd(40)}-${destination.name.slice(0, 40).padEnd(40)}`
  return `${id.padEnd(11)},${name.padEnd(4)},${names},${isUnknown ? UNKNOWN_TYPE : isBus ? 3 : 2},${color},FFFFFF`
}

function* commuterStopTimes(trips: Iterable<CommuterTrip>): Generator<string> {
  for (const { id, pattern, startsAt, listed } of trips) {
    const start = `${id.padEnd(12)},`
    for (let at = 0; at < listed; at++) {
      const { station, arrival, departure } = pattern.stops[at] as RailPattern['stops'][number]
      const leaves = clock(startsAt + departure)
      const arrives = departure === arrival ? leaves : clock(startsAt + arrival)
      yield `${start}${arrives},${leaves},${station.code},${String(pattern.firstSequence + at).padStart(3, '0')}`
    }
  }
}

function* longDistanceStopTimes(
  trips: Iterable<ReturnType<typeof longDistanceTrips> extends Generator<infer T> ? T : never>,
): Generator<string> {
  for (const { id, train } of trips) {
    const { stops } = train.pattern
    for (const [at, { station, arrival, departure }] of stops.entries()) {
      const times = [arrival, departure].map((seconds) => clock(train.startsAt + seconds).replace(/^0/, ''))
      const uses = at === stops.length - 1 ? '1,0' : at === 0 ? '0,1' : '0,0'
      yield `${id},${times.join()},${station.code},${String(at + 1).padStart(2, '0')},,${uses},`
    }
  }
}

/** Points along the stations of a line, one for each station, and the same for the opposite direction. */
function* shapeLines({ network, missing }: TimetableOptions): Generator<string> {
  for (const { code, lines } of network.nucleos)
    for (const { shapeId, shaped } of lines) {
      if (shapeId === null || missing.includes(code)) continue
      const perPart = Math.ceil(network.plan.shapePoints / (shaped.length - 1))
      for (const [id, run] of [
        [shapeId, shaped],
        [`${shapeId}_INV`, shaped.toReversed()],
      ] as const)
        for (let nth = 0; nth <= perPart * (run.length - 1); nth++) {
          const part = Math.min(Math.floor(nth / perPart), run.length - 2)
          const [from, to] = [run[part] as RailStation, run[part + 1] as RailStation]
          const share = nth / perPart - part
          yield `${id},${(from.lat + (to.lat - from.lat) * share).toFixed(7)},${(from.lon + (to.lon - from.lon) * share).toFixed(7)},${nth + 1}`
        }
    }
}

function* unpadded(header: string, lines: Iterable<string>): Generator<Buffer> {
  let text = `${header}\n`
  for (const line of lines) {
    text += `${line}\n`
    if (text.length < PIECE_BYTES) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

function* map<T, U>(items: Iterable<T>, make: (item: T) => U): Generator<U> {
  for (const item of items) yield make(item)
}

const clocks = new Map<number, string>()

/**
 * HH:MM:SS from seconds since the start of the service day, 24 h and beyond. Times are whole minutes, so some two thousand texts
 * are cached.
 */
function clock(seconds: number): string {
  const known = clocks.get(seconds)
  if (known !== undefined) return known
  const two = (part: number): string => String(part).padStart(2, '0')
  const text = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  clocks.set(seconds, text)
  return text
}
