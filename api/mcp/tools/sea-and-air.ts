import { z } from 'zod'
import { around, commonInput, instant, near, province } from '../input.ts'
import { amount, defineTool, labelled, Misuse, phrase, place, type ToolRequest } from '../tool.ts'

const MARINE_FUEL: Omit<ToolRequest, 'query'> = {
  kind: 'marine_price',
  path: '/api/maritimo',
  fields: ['id', 'port', 'fuel', 'use', 'price', 'price_unit', 'price_absence', 'operator', 'municipality', 'province', 'observed_at'],
  line: (one) =>
    phrase(
      `${String(one['fuel'])} in ${String(one['port'])}: ${amount(one, 'price') ?? `no price (${String(one['price_absence'])})`} ${amount(one, 'price_unit') ?? ''}`.trim(),
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

/** Fuel, ferries and vessels. */
export const getMaritime = defineTool({
  name: 'get_maritime',
  title: 'Sea: marine fuel, ferries, vessels',
  description:
    'Marine fuel prices in Spanish ports, ferry routes with operators, frequency and next sailing (free), and positions of vessels (plan PRO).',
  plan: 'FREE',
  input: {
    what: z.enum(['fuel', 'ferries', 'vessels']).describe('What to return.'),
    port: z.string().max(80).optional().describe('Name of a port (fuel).'),
    province,
    origin: z.string().max(80).optional().describe('Port that ferries leave from.'),
    destination: z.string().max(80).optional().describe('Port that ferries go to.'),
    ...near,
    ...commonInput,
  },
  requests: ({ what, port, province, origin, destination, ...point }) => {
    const at = around(point)
    if (what === 'fuel') return [{ ...MARINE_FUEL, query: { port, province, ...at } }]
    if (what === 'ferries') return [{ ...FERRY, query: { origin, destination } }]
    if (at.lat === undefined) throw new Misuse('Vessels need a point: give lat and lon.')
    return [{ ...VESSEL, query: at }]
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
    ...['nm_movements', 'atfm_delay_per_arrival_minutes', 'today'],
  ],
  line: (one) =>
    phrase(
      `${String(one['name'])} (${String(one['id'])})`,
      place(one),
      labelled('share within 15 min', one, 'punctual_share'),
      labelled('mean delay', one, 'mean_delay_minutes', 'min'),
      labelled('share cancelled', one, 'cancelled_share'),
      amount(one, 'movements', 'movements'),
    ),
}

/** Flights and airports. */
export const getAviation = defineTool({
  name: 'get_aviation',
  title: 'Air: delays, airports, aircraft',
  description:
    'Delays and cancellations at Spanish airports now, punctuality and traffic of airports, and positions of aircraft. Plan PRO.',
  plan: 'PRO',
  input: {
    what: z.enum(['delays', 'stats', 'aircraft']).describe('What to return.'),
    airport: z.string().max(40).optional().describe('IATA code of an airport, such as MAD.'),
    direction: z.enum(['ARRIVAL', 'DEPARTURE']).optional().describe('Only arrivals or departures (delays).'),
    min_delay_min: z.int().min(0).max(1440).optional().describe('Only flights with at least this delay in minutes.'),
    q: z.string().max(80).optional().describe('Name of an airport or town (stats).'),
    province,
    ...near,
    at: instant('Not before this time (delays).'),
    ...commonInput,
  },
  requests: ({ what, airport, direction, min_delay_min, q, province, at, ...point }) => {
    if (what === 'delays') return [{ ...FLIGHT, query: { airport, direction, min_delay: min_delay_min, from: at } }]
    if (what === 'stats') return [{ ...AIRPORT, query: { q: q ?? airport, province } }]
    const where = around(point)
    if (where.lat === undefined) throw new Misuse('Aircraft need a point: give lat and lon.')
    return [{ ...AIRCRAFT, query: where }]
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
