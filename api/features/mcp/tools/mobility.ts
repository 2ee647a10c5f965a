import { z } from 'zod'
import { instant, road } from '../input.ts'
import { recordKind } from '../line.ts'
import { ask, defineTool, Misuse, type ToolRequest } from '../tool.ts'

const FLOW = recordKind('flow', '/api/movilidad', { also: ['period_start', 'trip_km'], query: { sort: '-trips' } }, [
  '{origin_province} to {destination_province}, {date}: {trips} trips',
  'mean distance {mean_distance_km} km',
  '{days_present} of {days_expected} days',
])

const CORRIDOR = recordKind('corridor', '/api/movilidad/corredores', { also: ['basis', 'coverage'] }, [
  '{name}, {year}: {imd_veh_day} vehicles/day on average',
  'change to the year before {change_pct} %',
  '{length_km} km long',
  'id {id}',
])

const SECTION = recordKind('road_section', '/api/movilidad/imd', { also: ['section_id', 'length_km'], query: { sort: '-imd_veh_day' } }, [
  '{road} km {km_from}–{km_to}, {year}: {imd_veh_day} vehicles/day on average',
  '{heavy_share_pct} % heavy vehicles',
  '{province}',
])

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
  },
  requests: ({ origin, destination, from, to, corridor, road, year }) => {
    const requests: ToolRequest[] = []
    if (origin !== undefined || destination !== undefined) requests.push(ask(FLOW, { origin, destination, from, to }))
    if (corridor !== undefined) requests.push(ask(CORRIDOR, { q: corridor, year }))
    if (road !== undefined) requests.push(ask(SECTION, { road, year }))
    if (requests.length === 0) throw new Misuse('Of what? Give origin or destination (a province), a corridor, or a road.')
    return requests
  },
})
