import type { INCIDENT_LINE_ABSENCES } from '../../../lake/datasets/road/incident-codes.ts'
import type { incidents } from '../../../lake/datasets/road/incidents.ts'
import { onlyPlace } from '../../../lake/places/place-on-road.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import type { Line, Point } from '../../../lake/schema/columns.ts'
import type { State } from '../../kernel/endpoint.ts'
import { distanceM } from '../../kernel/reads/geo.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { type IncidentRow, isStretch, toIncident } from './incident.ts'
import type { Posts } from './posts.ts'
import { withoutDuplicates } from './same-incident.ts'

/** A line that begins this much farther from the published position than its error belongs to another place, m. */
const APART_M = 2000

/** The members of an incident that place it, and those that its place fills. */
type Placed = Pick<Incident, 'road' | 'km' | 'km_to' | 'direction' | 'province_code' | 'position' | LocationMember>
type LocationMember = 'location_method' | 'location_error_m' | 'position_absent' | 'geometry' | 'geometry_absent'
type LineAbsence = keyof typeof INCIDENT_LINE_ABSENCES.codes

/** A line that may be farther than this from the road, m, would cut across its valley: it is not drawn. */
const DRAWN_M = 1000

type Incident = ReturnType<typeof toIncident>

/**
 * An incident with its place on the road: the position of its kilometre if the source states none, and its line if it is between
 * two kilometres, or why it has none. Several places of that road at the kilometre, as at a province border, locate nothing.
 */
export function withPlace<I extends Placed>(one: I, posts: Posts | null): I {
  const { road, km, direction, province_code } = one
  const isSought = posts !== null && road !== null && km !== null && !one.position
  const places = isSought ? posts.at(foldRoad(road), km, province_code, direction) : []
  const place = onlyPlace(places)
  const absence = road === null || km === null ? 'NO_KILOMETRE' : places.length > 0 ? 'AMBIGUOUS' : 'NOT_LOCATED'
  const located = place ? { ...one, ...placeMembers(place) } : { ...one, position_absent: one.position ? null : absence }
  const drawn = lineOf(located, posts)
  return typeof drawn === 'string' ? { ...located, geometry_absent: drawn } : { ...located, geometry: drawn, geometry_absent: null }
}

/** The line of an incident, or why it has none; null for one that is not between two kilometres. */
function lineOf({ road, km, km_to, direction, province_code, position }: Placed, posts: Posts | null): Line | LineAbsence | null {
  if (!isStretch({ km, km_to })) return null
  if (posts === null) return 'NOT_NOW'
  const ends = { km_from: km as number, km_to: km_to as number, province_code, direction, near: position }
  const drawn = road === null || position === null ? null : posts.line(foldRoad(road), ends)
  const [first] = drawn?.line ?? []
  if (!drawn || !first || !position) return 'NOT_LOCATED'
  if (drawn.error_m > DRAWN_M) return 'INACCURATE'
  return distanceM(position, { lon: first[0], lat: first[1] }) > drawn.error_m + APART_M ? 'ELSEWHERE' : drawn.line
}

const placeMembers = ({ position, error_m }: { readonly position: Point; readonly error_m: number }) => ({
  ...{ position, location_method: 'ROAD_KM', location_error_m: error_m, position_absent: null },
})

/** The current incidents with their places, without duplicates; made once per version of state and posts. */
export const placedIncidents = memo((state: State<typeof incidents>, posts: Posts | null): readonly Incident[] =>
  withoutDuplicates(state.rows as readonly IncidentRow[]).map((row) => withPlace(toIncident(row), posts)),
)
