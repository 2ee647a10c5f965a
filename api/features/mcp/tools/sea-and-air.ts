import { z } from 'zod'
import { isoInstant } from '../../../../lake/schema/time.ts'
import { around, commonInput, instant, near, province } from '../input.ts'
import { amount, defineTool, type LookUp, labelled, Misuse, phrase, place, type ReplyRecord, type ToolRequest } from '../tool.ts'

const MARINE_FUEL: Omit<ToolRequest, 'query'> = {
  kind: 'marine_price',
  path: '/api/maritimo',
  fields: ['id', 'port', 'fuel', 'use', 'price', 'price_unit', 'operator', 'municipality', 'province', 'observed_at'],
  line: (one) =>
    phrase(
      `${String(one['fuel'])} in ${String(one['port'])}: ${String(one['price'])} ${String(one['price_unit'])}`,
      labelled('for', one, 'use'),
      amount(one, 'operator'),
      amount(one, 'province'),
      labelled('price of', one, 'observed_at'),
      `id ${String(one['id'])}`,
    ),
}

const FERRY: Omit<ToolRequest, 'query'> = {
  kind: 'ferry_route',
  path: '/api/maritimo/ferries',
  fields: [
    'id',
    'name',
    'origin',
    'origin_timezone',
    'destination',
    'operator_name',
    'sailings_per_week',
    'duration_s',
    'next_sailing_at',
    'in_service',
    'is_car_allowed',
  ],
  line: (one) =>
    phrase(
      `${String(one['origin'])} to ${String(one['destination'])} by ${String(one['operator_name'])}`,
      one['in_service'] === false ? 'no sailings at present' : amount(one, 'sailings_per_week', 'sailings a week'),
      labelled('duration', one, 'duration_s', 's'),
      labelled('next sailing', one, 'next_sailing_at'),
      one['is_car_allowed'] === true ? 'takes cars' : null,
      `id ${String(one['id'])}`,
    ),
}

const VESSEL: Omit<ToolRequest, 'query'> = {
  kind: 'vessel',
  path: '/api/maritimo/buques',
  fields: [
    'mmsi',
    'name',
    'vessel_type',
    'speed_kn',
    'course_deg',
    'navigation_status',
    'length_m',
    'destination',
    'lat',
    'lon',
    'observed_at',
  ],
  line: (one) =>
    phrase(
      `${amount(one, 'name') ?? 'Vessel without a name'} (MMSI ${String(one['mmsi'])})`,
      amount(one, 'vessel_type'),
      amount(one, 'speed_kn', 'knots'),
      labelled('to', one, 'destination'),
      labelled('seen', one, 'observed_at'),
    ),
}

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
  if (!only) throw new Misuse(`No ${what} is named ${JSON.stringify(named)}. Use search_transport, or another spelling.`)
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
    ...commonInput,
  },
  requests: async ({ what, port, vessel, province, origin, destination, ...point }, lookUp) => {
    const at = around(point.lat === undefined && port !== undefined ? {} : point)
    if (what === 'fuel')
      return [{ ...MARINE_FUEL, query: { port, province, ...at, sort: at.lat === undefined ? 'price_eur_l' : undefined } }]
    if (what === 'ferries') return [{ ...FERRY, query: { origin, destination } }]
    if (vessel !== undefined)
      return [{ ...VESSEL, path: `${VESSEL.path}/{mmsi}`, inPath: { mmsi: await mmsiOf(vessel, lookUp) }, query: {}, takesLimit: false }]
    if (at.lat !== undefined) return [{ ...VESSEL, query: at }]
    if (port === undefined) throw new Misuse('Which vessels? Give vessel, port, or lat and lon.')
    return [{ ...VESSEL, query: await aroundPort(port, point.radius_km, lookUp) }]
  },
})

const FLIGHT: Omit<ToolRequest, 'query'> = {
  kind: 'flight',
  path: '/api/aviacion',
  fields: [
    ...['id', 'airport', 'direction', 'flight_number', 'airline', 'other_airport', 'other_city', 'scheduled_at', 'estimated_at'],
    ...['delay_minutes', 'state', 'cause'],
  ],
  line: (one) =>
    phrase(
      `${String(one['direction'])} ${String(one['flight_number'])} at ${String(one['airport'])}: ${String(one['state'])}`,
      amount(one, 'airline'),
      labelled(one['direction'] === 'ARRIVAL' ? 'from' : 'to', one, 'other_city'),
      labelled('scheduled', one, 'scheduled_at'),
      labelled('expected', one, 'estimated_at'),
      labelled('delay', one, 'delay_minutes', 'min'),
      labelled('cause', one, 'cause'),
    ),
}

const AIRPORT: Omit<ToolRequest, 'query'> = {
  kind: 'airport',
  path: '/api/aviacion/aeropuertos',
  fields: [
    ...['id', 'name', 'municipality', 'province', 'flights', 'movements', 'punctual_share', 'mean_delay_minutes', 'cancelled_share'],
    ...['nm_movements', 'atfm_delay_per_arrival_minutes', 'observed_departures', 'observed_arrivals', 'today'],
  ],
  line: (one) =>
    phrase(
      `${String(one['name'])} (${String(one['id'])})`,
      place(one),
      labelled('share within 15 min', one, 'punctual_share'),
      labelled('mean delay', one, 'mean_delay_minutes', 'min'),
      labelled('share cancelled', one, 'cancelled_share'),
      amount(one, 'movements', 'movements'),
      labelled('departures observed by receivers', one, 'observed_departures'),
      labelled('arrivals observed by receivers', one, 'observed_arrivals'),
      todayOf(one['today']),
    ),
}

/** The flights of today at an airport, as a phrase; null without any. */
function todayOf(today: unknown): string | null {
  if (typeof today !== 'object' || today === null) return null
  const one = today as ReplyRecord
  const figures = [
    amount(one, 'flights', 'flights'),
    labelled('share within 15 min', one, 'punctual_share'),
    labelled('mean delay', one, 'mean_delay_minutes', 'min'),
    labelled('cancelled', one, 'cancelled'),
  ]
  return `today (${String(one['date'])}): ${phrase(...figures)}`
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
    ...commonInput,
  },
  requests: async ({ what, airport, flight, direction, min_delay_min, q, province, at, ...point }, lookUp, now) => {
    if (what === 'delays') {
      const from = at ?? (flight === undefined ? isoInstant(now - RECENT_MS) : undefined)
      return [{ ...FLIGHT, query: { airport, flight, direction, min_delay: min_delay_min, from } }]
    }
    if (what === 'stats') return [{ ...AIRPORT, query: { q: q ?? airport, province } }]
    if (point.lat !== undefined || point.lon !== undefined) return [{ ...AIRCRAFT, query: around(point) }]
    if (airport === undefined) throw new Misuse('Where? Aircraft need an airport, or lat and lon.')
    const [found] = await lookUp('/api/aviacion/aeropuertos', { ids: airport.toUpperCase(), fields: ['id', 'lat', 'lon'] })
    if (!found) throw new Misuse(`No airport has the IATA code ${JSON.stringify(airport)}. Use search_transport to find it.`)
    const { lat, lon } = found as { readonly lat: number; readonly lon: number }
    return [{ ...AIRCRAFT, query: around({ lat, lon, radius_km: point.radius_km }) }]
  },
})

const AIRCRAFT: Omit<ToolRequest, 'query'> = {
  kind: 'aircraft',
  path: '/api/aviacion/posiciones',
  fields: [
    ...['icao24', 'callsign', 'registration', 'aircraft_type', 'category', 'is_on_ground', 'altitude_m', 'ground_speed_m_s', 'track_deg'],
    ...['vertical_rate_m_s', 'squawk', 'emergency', 'lat', 'lon', 'observed_at'],
  ],
  line: (one) =>
    phrase(
      `${amount(one, 'callsign') ?? 'no callsign'} (${String(one['icao24'])})`,
      amount(one, 'aircraft_type'),
      one['is_on_ground'] === true ? 'on the ground' : amount(one, 'altitude_m', 'm'),
      amount(one, 'ground_speed_m_s', 'm/s'),
      labelled('track', one, 'track_deg', 'degrees'),
      labelled('climbs', one, 'vertical_rate_m_s', 'm/s'),
      labelled('emergency', one, 'emergency'),
      labelled('seen', one, 'observed_at'),
    ),
}
