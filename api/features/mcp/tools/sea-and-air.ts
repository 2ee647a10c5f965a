import { z } from 'zod'
import { isoInstant } from '../../../../lake/schema/time.ts'
import { around, instant, near, noneNamed, province } from '../input.ts'
import { filled, lineOf, placeOf, recordKind } from '../line.ts'
import { ask, defineTool, type LookUp, Misuse, type ReplyRecord } from '../tool.ts'

const MARINE_FUEL = recordKind('marine_price', '/api/maritimo', { also: ['municipality'] }, [
  '{fuel} in {port}: {price} {price_unit}',
  'for {use}',
  '{operator}',
  '{province}',
  'price of {observed_at}',
  'id {id}',
])

const FERRY = recordKind(
  'ferry_route',
  '/api/maritimo/ferries',
  { also: ['name', 'origin_timezone', 'sailings_per_week', 'in_service', 'is_car_allowed'] },
  [
    '{origin} to {destination} by {operator_name}',
    (one) => (one['in_service'] === false ? 'no sailings at present' : filled(one, '{sailings_per_week} sailings a week')),
    'duration {duration_s} s',
    'next sailing {next_sailing_at}',
    (one) => (one['is_car_allowed'] === true ? 'takes cars' : null),
    'id {id}',
  ],
)

const VESSEL = recordKind('vessel', '/api/maritimo/buques', { also: ['course_deg', 'navigation_status', 'length_m', 'lat', 'lon'] }, [
  '{name|Vessel without a name} (MMSI {mmsi})',
  '{vessel_type}',
  '{speed_kn} knots',
  'to {destination}',
  'seen {observed_at}',
])

/** Search hits among which a vessel or port is chosen. */
const CHOICES = 6

/** Finds a vessel by MMSI, or by name, call sign or IMO number. Throws `Misuse` with the choices if there is none or several. */
async function mmsiOf(vessel: string, lookUp: LookUp): Promise<string> {
  if (/^\d{9}$/.test(vessel)) return vessel
  const found = await lookUp('/api/search', { q: vessel, collections: ['vessels'], limit: CHOICES, fields: ['id', 'title', 'subtitle'] })
  return String(chosen(found, { what: 'vessel', named: vessel, name: 'title' })['id'])
}

/** The point of a port, by name or code, for a search around it. */
async function aroundPort(port: string, radius_km: number | undefined, lookUp: LookUp): Promise<ReturnType<typeof around>> {
  const found = await lookUp('/api/maritimo/puertos', { q: port, limit: CHOICES, fields: ['id', 'name', 'lat', 'lon'] })
  const { lat, lon } = chosen(found, { what: 'port', named: port, name: 'name' })
  if (typeof lat !== 'number' || typeof lon !== 'number') throw new Misuse(`The position of ${port} is unknown: give lat and lon.`)
  return around({ lat, lon, radius_km })
}

/** The only match, or the one with exactly this name. Throws `Misuse` otherwise. */
function chosen(
  found: readonly ReplyRecord[],
  { what, named, name }: { readonly what: string; readonly named: string; readonly name: string },
): ReplyRecord {
  const [only] = found
  if (!only) throw noneNamed(what, named)
  const same = found.filter((one) => String(one[name]).toLowerCase() === named.toLowerCase())
  const [exact] = found.length === 1 ? found : same
  if (exact && (found.length === 1 || same.length === 1)) return exact
  const choices = found.map((one) => `${String(one[name])}: ${String(one['id'])}`)
  throw new Misuse(`Several match ${JSON.stringify(named)}; call again with one of these ${what}s: ${choices.join('; ')}.`)
}

/** Fuel, ferries and vessels. */
export const getMaritime = defineTool({
  name: 'get_maritime',
  title: 'Sea: marine fuel, ferries, vessels',
  description:
    'Marine fuel prices in ports, ferry routes with the next sailing (free), positions of vessels: one, or those around a port or point (PRO).',
  plan: 'FREE',
  input: {
    what: z.enum(['fuel', 'ferries', 'vessels']).describe('See above.'),
    port: z.string().max(80).optional().describe('Name; of fuel and vessels.'),
    vessel: z.string().max(80).optional().describe('MMSI, name, call sign or IMO number.'),
    province,
    origin: z.string().max(80).optional().describe('Port; of ferries.'),
    destination: z.string().max(80).optional().describe('Port; of ferries.'),
    ...near,
  },
  requests: async ({ what, port, vessel, province, origin, destination, ...point }, lookUp) => {
    const at = around(point.lat === undefined && port !== undefined ? {} : point)
    if (what === 'fuel') return [ask(MARINE_FUEL, { port, province, ...at, sort: at.lat === undefined ? 'price_eur_l' : undefined })]
    if (what === 'ferries') return [ask(FERRY, { origin, destination })]
    if (vessel !== undefined)
      return [ask({ ...VESSEL, path: `${VESSEL.path}/{mmsi}`, inPath: { mmsi: await mmsiOf(vessel, lookUp) }, takesLimit: false }, {})]
    if (at.lat !== undefined) return [ask(VESSEL, at)]
    if (port === undefined) throw new Misuse('Which vessels? Give vessel, port, or lat and lon.')
    return [ask(VESSEL, await aroundPort(port, point.radius_km, lookUp))]
  },
})

const FLIGHT = recordKind('flight', '/api/aviacion', { also: ['id', 'other_airport', 'other_city'] }, [
  '{direction} {flight_number} at {airport}: {state}',
  '{airline}',
  (one) => filled(one, one['direction'] === 'ARRIVAL' ? 'from {other_city}' : 'to {other_city}'),
  'scheduled {scheduled_at}',
  'expected {estimated_at}',
  'delay {delay_minutes} min',
  'cause {cause}',
])

const AIRPORT = recordKind(
  'airport',
  '/api/aviacion/aeropuertos',
  { also: ['municipality', 'province', 'flights', 'nm_movements', 'atfm_delay_per_arrival_minutes', 'today'] },
  [
    '{name} ({id})',
    placeOf,
    'share within 15 min {punctual_share}',
    'mean delay {mean_delay_minutes} min',
    'share cancelled {cancelled_share}',
    '{movements} movements',
    'departures observed by receivers {observed_departures}',
    'arrivals observed by receivers {observed_arrivals}',
    ({ today }) => (today ? todayOf(today as ReplyRecord) : null),
  ],
)

/** Returns the flights of today at an airport, as a phrase. */
function todayOf(today: ReplyRecord): string {
  const figures = lineOf(today, [
    '{flights} flights',
    'share within 15 min {punctual_share}',
    'mean delay {mean_delay_minutes} min',
    'cancelled {cancelled}',
  ])
  return `today (${String(today['date'])}): ${figures}`
}

/** How long after their scheduled time flights are listed by default, ms. */
const RECENT_MS = 2 * 3_600_000

/** Flights and airports. */
export const getAviation = defineTool({
  name: 'get_aviation',
  title: 'Air: delays, airports, aircraft',
  description:
    'delays: late and cancelled flights at Spanish airports, or one flight by number. stats: punctuality and traffic of airports. aircraft: positions around an airport or point.',
  plan: 'PRO',
  input: {
    what: z.enum(['delays', 'stats', 'aircraft']).describe('See above.'),
    airport: z.string().max(40).optional().describe('IATA code.'),
    flight: z.string().max(12).optional().describe('Such as VY3917; of delays.'),
    direction: z.enum(['ARRIVAL', 'DEPARTURE']).optional().describe('Of delays.'),
    min_delay_min: z.int().min(0).max(1440).optional().describe('At least this delay.'),
    q: z.string().max(80).optional().describe('Airport or town; of stats.'),
    province,
    ...near,
    at: instant('Of delays: from; two hours ago by default'),
  },
  requests: async ({ what, airport, flight, direction, min_delay_min, q, province, at, ...point }, lookUp, now) => {
    if (what === 'delays') {
      const from = at ?? (flight === undefined ? isoInstant(now - RECENT_MS) : undefined)
      return [ask(FLIGHT, { airport, flight, direction, min_delay: min_delay_min, from })]
    }
    if (what === 'stats') return [ask(AIRPORT, { q: q ?? airport, province })]
    if (point.lat !== undefined || point.lon !== undefined) return [ask(AIRCRAFT, around(point))]
    if (airport === undefined) throw new Misuse('Where? Aircraft need an airport, or lat and lon.')
    const [found] = await lookUp('/api/aviacion/aeropuertos', { ids: airport.toUpperCase(), fields: ['id', 'lat', 'lon'] })
    if (!found) throw new Misuse(`No airport has the IATA code ${JSON.stringify(airport)}. Use search_transport to find it.`)
    const { lat, lon } = found as { readonly lat: number; readonly lon: number }
    return [ask(AIRCRAFT, around({ lat, lon, radius_km: point.radius_km }))]
  },
})

const AIRCRAFT = recordKind(
  'aircraft',
  '/api/aviacion/posiciones',
  { also: ['registration', 'category', 'is_on_ground', 'altitude_m', 'squawk', 'lat', 'lon'] },
  [
    '{callsign|no callsign} ({icao24})',
    '{aircraft_type}',
    (one) => (one['is_on_ground'] === true ? 'on the ground' : filled(one, '{altitude_m} m')),
    '{ground_speed_m_s} m/s',
    'track {track_deg} degrees',
    'climbs {vertical_rate_m_s} m/s',
    'emergency {emergency}',
    'seen {observed_at}',
  ],
)
