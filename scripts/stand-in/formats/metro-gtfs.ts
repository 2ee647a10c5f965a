import type { Variant } from '../publisher.ts'
import { keptOf } from '../publisher.ts'
import type { MetroLine, MetroNetwork } from '../world/metro-networks.ts'
import { packZip } from './zip.ts'

const DAY = 86_400_000
/** Days of a list of dates. */
const LISTED_DAYS = 75
/** First and last departure, s: trains of the last run after midnight. */
const [FIRST, LAST] = [6 * 3600 + 300, 24 * 3600 + 1800]
/** Seconds from one station to the next, with a stop of half a minute. */
const [RUN, STAY] = [120, 30]
/** Degrees between stations. */
const STEP = 0.007

const SERVICES = [
  { id: 'LAB', days: [1, 2, 3, 4, 5], share: 1 },
  { id: 'FES', days: [0, 6], share: 2 },
] as const

/** The GTFS archive of a network as its publisher writes it, valid from the day of `at` (ms). */
export function metroZip(network: MetroNetwork, { at, variant }: { readonly at: number; readonly variant: Variant }): Buffer {
  const lines = keptOf(network.lines, variant)
  const trips = lines.flatMap((line) => tripsOf(line, network))
  const stops = stopsOf(lines, network)
  const file = (name: string, header: string, rows: readonly string[]) => {
    const text = [header, ...rows, ''].join(network.newline ?? '\n')
    return { name, pieces: [Buffer.from(network.bom ? `\uFEFF${text}` : text)] }
  }
  const access = variant.hasUnknownCodes ? '7' : '1'
  const routes = network.isRoutePerDirection ? (['0', '1'] as const) : ([''] as const)
  const buses = network.hasBuses ? ['BUS,55,A42,"Autobús, aeropuerto",3,ea2423,ffffff', 'TAXI,55,343d,A demanda,715,ea2423,ffffff'] : []
  const members = [
    file('agency.txt', 'agency_id,agency_name,agency_url,agency_timezone,agency_lang', [
      `${network.agency},${network.agency},${network.url},Europe/Madrid,es`,
    ]),
    file('stops.txt', 'stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding', [
      ...stops,
      ...(network.hasBuses ? [`BUS1,"Parada, aeropuerto",${network.lat},${network.lon},,,`] : []),
    ]),
    file('routes.txt', 'route_id,agency_id,route_short_name,route_long_name,route_type,route_color,route_text_color', [
      ...lines.flatMap(({ name, longName, type }) =>
        routes.map((direction) => `${name}${direction},${network.agency},"${name}",${longName},${type},DC241F,FFFFFF`),
      ),
      ...buses,
    ]),
    ...calendarOf(network, at).map(({ name, header, rows }) => file(name, header, rows)),
    file('trips.txt', 'route_id,service_id,trip_id,trip_headsign,direction_id,wheelchair_accessible,shape_id', [
      ...trips.map(({ id, line, direction, service }) => {
        const route = `${line.name}${network.isRoutePerDirection ? direction : ''}`
        return `${route},${service},${id},${headsign(line, direction)},${direction},${access},${line.name}-${direction}`
      }),
      ...(network.hasBuses ? [`BUS,LAB,BUS-1,Aeroport,0,,`] : []),
    ]),
    file('stop_times.txt', 'trip_id,arrival_time,departure_time,stop_id,stop_sequence', [
      ...trips.flatMap((trip) => callsOf(trip, network)),
      ...(network.hasBuses ? [`BUS-1,06:00:00,06:00:00,BUS1,0`, `BUS-1,06:20:00,06:20:00,0,1`] : []),
    ]),
    file(
      'shapes.txt',
      'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence',
      lines.flatMap((line) =>
        ([0, 1] as const).flatMap((direction) =>
          placesOf(line, network, direction).map(({ lat, lon }, nth) => `${line.name}-${direction},${lat},${lon},${1_000_001 + nth}`),
        ),
      ),
    ),
    ...(network.hasFrequencies
      ? [
          file(
            'frequencies.txt',
            'trip_id,start_time,end_time,headway_secs,exact_times',
            trips.map(({ id, line, share }) => `${id},${clock(FIRST)},${clock(LAST)},${share * line.headway_s},`),
          ),
        ]
      : []),
  ]
  return packZip(members, at)
}

/** The days of the services, in the members that the publisher uses. */
function calendarOf({ days, years }: MetroNetwork, at: number): { name: string; header: string; rows: readonly string[] }[] {
  const begin = Math.floor(at / DAY) * DAY
  const end = days === 'WEEKDAYS' ? begin + 365 * years * DAY : begin + LISTED_DAYS * DAY
  const week = [1, 2, 3, 4, 5, 6, 0]
  const ranges = SERVICES.map((service) => {
    if (days === 'ZERO') return `${service.id}, 0, 0, 0, 0, 0, 0, 0, ${plain(begin)}, ${plain(end)}`
    return `${service.id},${week.map((day) => Number((service.days as readonly number[]).includes(day))).join()},${plain(begin)},${plain(end)}`
  })
  const dates: string[] = []
  if (days !== 'WEEKDAYS')
    for (let day = begin; day <= end; day += DAY) {
      const weekday = new Date(day).getUTCDay()
      const service = SERVICES.find((one) => (one.days as readonly number[]).includes(weekday))
      dates.push(`${service?.id},${plain(day)},1`)
    }
  const header = 'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date'
  return [
    ...(days === 'DATES' ? [] : [{ name: 'calendar.txt', header, rows: ranges }]),
    { name: 'calendar_dates.txt', header: 'service_id,date,exception_type', rows: dates },
  ]
}

interface Trip {
  readonly id: string
  readonly line: MetroLine
  readonly direction: 0 | 1
  readonly service: string
  readonly share: number
  readonly starts: number
}

function tripsOf(line: MetroLine, { hasFrequencies }: MetroNetwork): Trip[] {
  return SERVICES.flatMap(({ id: service, share }) =>
    ([0, 1] as const).flatMap((direction) => {
      const trips: Trip[] = []
      for (let starts = FIRST; starts <= (hasFrequencies ? FIRST : LAST); starts += share * line.headway_s)
        trips.push({ id: `${service}_${line.name}_${direction}_${starts}`, line, direction, service, share, starts })
      return trips
    }),
  )
}

function headsign({ name, stations }: MetroLine, direction: 0 | 1): string {
  return direction === 0 ? `Final ${name}-${stations - 1}` : 'Centro'
}

/** Ids and places of a line's stations; without its own, the first one is the centre, where all lines meet. */
function placesOf(line: MetroLine, { lat, lon, lines }: MetroNetwork, direction: 0 | 1): { id: string; lat: string; lon: string }[] {
  const angle = (2 * Math.PI * lines.indexOf(line)) / lines.length
  const along = (_: unknown, nth: number) => ({
    ...{ id: nth === 0 ? '0' : `${line.name}-${nth}`, lat: lat + nth * STEP * Math.sin(angle), lon: lon + nth * STEP * Math.cos(angle) },
  })
  const own = line.places ?? Array.from({ length: line.stations }, along)
  const places = own.map((place) => ({ id: place.id, lat: place.lat.toFixed(6), lon: place.lon.toFixed(6) }))
  return direction === 0 ? places : places.toReversed()
}

function stopsOf(lines: readonly MetroLine[], network: MetroNetwork): string[] {
  const places = new Map(lines.flatMap((line) => placesOf(line, network, 0)).map((place) => [place.id, place]))
  return [...places.values()].flatMap(({ id, lat, lon }) => {
    const name = id === '0' ? 'Centro' : `Parada ${id}`
    const ids = network.platformOf?.(id)
    if (!ids) return [`${id},"${name}",${lat},${lon},0,,1`]
    return [`${ids.platform},${name.toUpperCase()},${lat},${lon},0,${ids.station},0`, `${ids.station},${name},${lat},${lon},1,,1`]
  })
}

function callsOf({ id, line, direction, starts }: Trip, network: MetroNetwork): string[] {
  return placesOf(line, network, direction).map((place, nth) => {
    const arrival = starts + nth * (RUN + STAY)
    const stop = network.platformOf?.(place.id).platform ?? place.id
    return `${id},${clock(arrival)},${clock(arrival + STAY)},${stop},${nth}`
  })
}

function clock(seconds: number): string {
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')
}

function plain(at: number): string {
  return new Date(at).toISOString().slice(0, 10).replaceAll('-', '')
}
