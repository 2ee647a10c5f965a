import { z } from 'zod'
import { commonInput, instant, road } from '../input.ts'
import { amount, defineTool, labelled, Misuse, phrase, type ToolRequest } from '../tool.ts'

const FLOW: Omit<ToolRequest, 'query'> = {
  kind: 'flow',
  path: '/api/movilidad',
  fields: [
    'period_start',
    'date',
    'origin_province',
    'destination_province',
    'trips',
    'trip_km',
    'mean_distance_km',
    'days_present',
    'days_expected',
  ],
  line: (one) =>
    phrase(
      `${String(one['origin_province'])} to ${String(one['destination_province'])}, ${String(one['date'])}: ${amount(one, 'trips') ?? 'unknown'} trips`,
      labelled('mean distance', one, 'mean_distance_km', 'km'),
      `${String(one['days_present'])} of ${String(one['days_expected'])} days`,
    ),
}

const CORRIDOR: Omit<ToolRequest, 'query'> = {
  kind: 'corridor',
  path: '/api/movilidad/corredores',
  fields: ['id', 'name', 'year', 'basis', 'imd_veh_day', 'change_pct', 'length_km', 'coverage'],
  line: (one) =>
    phrase(
      `${String(one['name'])}, ${String(one['year'])}: ${amount(one, 'imd_veh_day') ?? 'unknown'} vehicles/day on average`,
      labelled('change to the year before', one, 'change_pct', '%'),
      amount(one, 'length_km', 'km long'),
      `id ${String(one['id'])}`,
    ),
}

const SECTION: Omit<ToolRequest, 'query'> = {
  kind: 'road_section',
  path: '/api/movilidad/imd',
  fields: ['section_id', 'year', 'road', 'province', 'km_from', 'km_to', 'length_km', 'imd_veh_day', 'heavy_share_pct'],
  line: (one) =>
    phrase(
      `${String(one['road'])} km ${String(one['km_from'])}–${String(one['km_to'])}, ${String(one['year'])}: ${amount(one, 'imd_veh_day') ?? 'unknown'} vehicles/day on average`,
      amount(one, 'heavy_share_pct', '% heavy vehicles'),
      amount(one, 'province'),
    ),
}

/** Trips and traffic volumes. */
export const getMobility = defineTool({
  name: 'get_mobility',
  title: 'Mobility: trips, corridors, average daily traffic',
  description:
    'Trips between provinces by mobile-phone data (origin, destination), or vehicles a day of a corridor or of the sections of a road. "How many people travel from Madrid to Valencia?", "How busy is the A-6?"',
  plan: 'PRO',
  instead: 'get_incidents',
  input: {
    origin: z.string().max(80).optional().describe('Province.'),
    destination: z.string().max(80).optional().describe('Province.'),
    from: instant('Of trips; the last full month by default'),
    to: instant('Of trips'),
    corridor: z.string().max(60).optional().describe('Such as M-30.'),
    road,
    year: z.int().min(1990).max(2200).optional().describe('Of vehicles a day.'),
    ...commonInput,
  },
  requests: ({ origin, destination, from, to, corridor, road, year }) => {
    const requests: ToolRequest[] = []
    if (origin !== undefined || destination !== undefined)
      requests.push({ ...FLOW, query: { origin, destination, from, to, sort: '-trips' } })
    if (corridor !== undefined) requests.push({ ...CORRIDOR, query: { q: corridor, year } })
    if (road !== undefined) requests.push({ ...SECTION, query: { road, year, sort: '-imd_veh_day' } })
    if (requests.length === 0) throw new Misuse('Of what? Give origin or destination (a province), a corridor, or a road.')
    return requests
  },
})
