import type { FeedListing } from '../../../lake/live/freshness.ts'
import type { ProvinceGap } from '../../../lake/places/gaps.ts'
import { provincesOf, type Region } from '../../../lake/places/regions.ts'
import { datasetsOf, type Endpoint, pathParams } from '../../kernel/endpoint.ts'
import { areaHint } from '../../kernel/params/area-hint.ts'
import type { PlaceFilter } from '../../kernel/params/params-place.ts'
import type { RequestValues } from '../request/request.ts'
import type { Coverage } from './compose.ts'

/**
 * Returns the provinces without data in a list, as its first dataset declares them; null if there are none or the path has its
 * own. `feeds` are those that run; without them all count as running.
 */
export function gapOf(endpoint: Endpoint, feeds: readonly Pick<FeedListing, 'id' | 'enabled'>[] | null = null): ProvinceGap | null {
  if (endpoint.returns.kind !== 'list' || pathParams(endpoint.path).length > 0) return null
  const { lacks = null, lacksWithout } = datasetsOf(endpoint)[0] ?? {}
  if (!lacksWithout || !feeds?.some(({ id, enabled }) => id === lacksWithout.feed && !enabled)) return lacks
  return lacksWithout.gap
}

/** What `meta` states about the place of a request. */
interface PlaceMeta {
  readonly coverage?: Coverage
  readonly hint?: string
}

/**
 * Returns `meta.coverage` of a reply, with a note if the request is about a place without data (nothing for an endpoint without
 * gaps), and `meta.hint` if the requested area lies outside all data.
 */
export function placeMetaOf(gap: ProvinceGap | null, own: RequestValues['own']): PlaceMeta {
  const hint = areaHint(own)
  return { ...coverageOf(gap, own), ...(hint === null ? {} : { hint }) }
}

function coverageOf(gap: ProvinceGap | null, own: RequestValues['own']): PlaceMeta {
  if (!gap) return {}
  const asked = provincesAsked(own)
  const isOutside = asked.length > 0 && asked.every((code) => gap.province_codes.includes(code))
  return { coverage: { provinces_without_data: gap.province_codes, note: isOutside ? gap.note : null } }
}

/** Returns the INE codes of the provinces that a request names, directly or by a municipality. */
function provincesAsked({ province, place }: RequestValues['own']): readonly string[] {
  if (Array.isArray(province)) return provincesOf(province as Region)
  const { region = null, municipality_codes = null } = (place ?? {}) as Partial<PlaceFilter>
  if (municipality_codes) return municipality_codes.map((code) => code.slice(0, 2))
  return region === null ? [] : provincesOf(region)
}
