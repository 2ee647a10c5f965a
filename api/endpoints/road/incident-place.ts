import type { incidents } from '../../../lake/datasets/road/incidents.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import type { Line, Point } from '../../../lake/schema/columns.ts'
import type { State } from '../../define/endpoint.ts'
import { distanceM } from '../../define/geo.ts'
import { memo } from '../../define/memo.ts'
import { type IncidentRow, toIncident } from './incident.ts'
import type { Posts } from './posts.ts'
import { withoutDuplicates } from './same-incident.ts'

/** A line that begins this much farther from the published position than its error is of another place, m. */
const APART_M = 2000

/** The members of an incident that place it, and those that its place fills. */
interface Placed {
  readonly road: string | null
  readonly km: number | null
  readonly km_to: number | null
  readonly direction: string
  readonly province_code: string | null
  readonly position: Point | null
  readonly location_method: string | null
  readonly location_error_m: number | null
  readonly geometry: Line | null
}

/** A line that may be farther than this from the road, m, would cut across its valley: it is not drawn. */
const DRAWN_M = 1000

type Incident = ReturnType<typeof toIncident>

/**
 * An incident with its place on the road: the position of its kilometre if the source states none, and its line if it is between
 * two kilometres. As it was if the road is not located there, or several roads of that name are.
 */
export function withPlace<I extends Placed>(one: I, posts: Posts | null): I {
  const { road, km, km_to, direction, province_code } = one
  if (posts === null || road === null || km === null) return one
  const key = foldRoad(road)
  const [place, another] = one.position ? [] : posts.at(key, km, province_code, direction)
  const located = place && !another ? { ...one, ...placeMembers(place) } : one
  if (!located.position || km_to === null || km_to === km) return located
  const drawn = posts.line(key, { km_from: km, km_to, province_code, direction })
  const [first] = drawn?.line ?? []
  if (
    !drawn ||
    !first ||
    drawn.error_m > DRAWN_M ||
    distanceM(located.position, { lon: first[0], lat: first[1] }) > drawn.error_m + APART_M
  )
    return located
  return { ...located, geometry: drawn.line }
}

const placeMembers = ({ position, error_m }: { readonly position: Point; readonly error_m: number }) => ({
  ...{ position, location_method: 'ROAD_KM', location_error_m: error_m },
})

/** The current incidents with their places, without duplicates; made once per version of state and posts. */
export const placedIncidents = memo((state: State<typeof incidents>, posts: Posts | null): readonly Incident[] =>
  withoutDuplicates(state.rows as readonly IncidentRow[]).map((row) => withPlace(toIncident(row), posts)),
)
