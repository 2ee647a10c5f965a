import type { Answers } from '../../../lake/live/demand.ts'
import { municipalityByCode, placeAt } from '../../../lake/places/municipalities.ts'
import { isOfRegion, type Region } from '../../../lake/places/regions.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { maybe } from '../../kernel/fields.ts'
import { group, numberParam } from '../../kernel/params/params.ts'
import { municipalitiesOf, municipalityParam, provinceParam, type RoadFilter, roadName } from '../../kernel/params/params-place.ts'
import { InvalidParam, type Problem } from '../../kernel/problems.ts'
import type { Demanded, MemoryAsk } from '../../kernel/reads/memory-read.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'
import { pointsOfRoad, pointsOfStretch, stretchMembers, stretchOf } from './near-road.ts'

/** A request waits for a new forecast if the last one is older (ms); a younger one is served at once. */
const OLD_MS = 6 * 3_600_000

/** The places of a request; both null for all available forecasts. */
interface ForecastPlaces {
  readonly region: Region | null
  readonly municipality_codes: readonly string[] | null
  readonly stretch: RoadFilter
}

/** The parameters `municipality`, `lat` and `lon`, or `road`; and `province`. */
export const forecastPlaceParams = group(
  {
    province: provinceParam,
    municipality: municipalityParam,
    lat: numberParam('Latitude of a point, WGS84: the forecast of its municipality.', {
      ...{ min: -90, max: 90, unit: 'deg', example: '40.4168' },
    }),
    lon: numberParam('Longitude of the point, WGS84.', { min: -180, max: 180, unit: 'deg', example: '-3.7038' }),
    ...stretchMembers,
  },
  ({ province, municipality, lat, lon, ...stretch }): ForecastPlaces => {
    const asked = [municipality !== null && 'municipality', lat !== null && 'lat', stretch.road !== null && 'road'].filter(
      (one) => one !== false,
    )
    if (asked.length > 1)
      throw new InvalidParam('cannot be combined; allowed: one of municipality, lat and lon, or road', {
        parameter: asked.at(-1) as string,
      })
    if (lat !== null && lon === null) throw new InvalidParam('is required together with lat', { parameter: 'lon' })
    if (lon !== null && lat === null) throw new InvalidParam('is required together with lon', { parameter: 'lat' })
    return {
      region: province,
      municipality_codes:
        municipality !== null ? municipalitiesOf(municipality, province) : lat !== null && lon !== null ? [codeAt(lat, lon)] : null,
      stretch: stretchOf(stretch),
    }
  },
)

function codeAt(lat: number, lon: number): string {
  const { municipality_code } = placeAt({ lat, lon })
  if (municipality_code === null)
    throw new InvalidParam('expected a point in a municipality of Spain, or within 2 km of one', { parameter: 'lat' })
  return municipality_code
}

/** Position of a forecast along the requested road. */
export const alongFields = {
  road: maybe.text('The requested road; null without `road`.', null),
  km_from: maybe.decimal('First located point of that road in the municipality.', 'km', 1, null),
  km_to: maybe.decimal('Last located point of that road in the municipality.', 'km', 1, null),
} as const

/** Position of a municipality along the requested road. */
export type Along = { readonly road: string | null; readonly km_from: number | null; readonly km_to: number | null }
/** Without a road. */
export const NOT_ALONG: Along = Object.freeze({ road: null, km_from: null, km_to: null })

/** The municipalities of a request, with where the road passes each; null without a place. */
export async function placesOf(slice: MemoryAsk['cached'], wanted: ForecastPlaces): Promise<ReadonlyMap<string, Along> | null> {
  const { stretch, municipality_codes, region } = wanted
  if (stretch.road === null) return municipality_codes && new Map(municipality_codes.map((code) => [code, NOT_ALONG]))
  const isInside = inRegion(region)
  const found = new Map<string, Along>()
  for (const { road, km, position } of pointsOfStretch(stretch, await slice(pointsOfRoad, stretch.road))) {
    const { municipality_code: code } = placeAt(position)
    if (code === null || !isInside({ province_code: code.slice(0, 2), municipality_code: code })) continue
    const { km_from } = found.get(code) ?? {}
    found.set(code, { road: roadName(road), km_from: km_from ?? km, km_to: km })
  }
  return found
}

const inRegion = (region: Region | null): ReturnType<typeof isOfRegion> => (region === null ? () => true : isOfRegion(region))

/** The columns that select rows of a forecast. */
type ForecastRow = AnyRow & {
  readonly municipality_code: string
  readonly province_code: string
  readonly issued_at: number
  readonly valid_from: number
  readonly valid_to: number
}

/** The rows of the newest issue of each requested municipality within a span of time, in time order. */
export function forecastsOf<R extends ForecastRow>(
  rows: readonly R[],
  of: {
    readonly places: ReadonlyMap<string, Along> | null
    readonly region: Region | null
    readonly from: number
    readonly span_ms: number
  },
): ReadonlyMap<string, readonly R[]> {
  const { places, region, from, span_ms } = of
  const isInside = inRegion(region)
  const isWanted = (row: R): boolean => (places === null || places.has(row.municipality_code)) && isInside(row)
  const byCode = Map.groupBy(rows.filter(isWanted), ({ municipality_code }) => municipality_code)
  return new Map(
    [...byCode].flatMap(([code, all]) => {
      const newest = Math.max(...all.map(({ issued_at }) => issued_at))
      const ahead = all.filter((row) => row.issued_at === newest && row.valid_to > from && row.valid_from < from + span_ms)
      return ahead.length === 0
        ? []
        : [[code, ahead.sort((one, other) => one.valid_from - other.valid_from || other.valid_to - one.valid_to)]]
    }),
  )
}

/** The documents of a request, one per municipality. Waits for municipalities without a current forecast of its period. */
export async function demandedOf(
  { states, slice }: { readonly states: readonly [{ readonly rows: readonly ForecastRow[] }]; readonly slice: MemoryAsk['cached'] },
  wanted: ForecastPlaces,
  { now, ...span }: { readonly now: number; readonly from: number; readonly span_ms: number },
): Promise<Demanded> {
  const places = await placesOf(slice, wanted)
  if (places === null) return { keys: [], awaited: [] }
  const found = forecastsOf(states[0].rows, { places, region: null, ...span })
  const since = span.from + span.span_ms > now ? now - OLD_MS : Number.NEGATIVE_INFINITY
  const keys = [...places.keys()]
  return { keys, awaited: keys.filter((code) => (found.get(code)?.[0]?.issued_at ?? Number.NEGATIVE_INFINITY) <= since) }
}

/** Number of requested municipalities without a forecast yet. */
export function pendingOf(answers: Answers, found: ReadonlyMap<string, unknown>): number {
  return [...answers].filter(([code, answer]) => answer === null && !found.has(code)).length
}

/** The problem of a request without any forecast. */
export function noForecast(
  codes: readonly string[],
  of: {
    readonly dataset: Dataset
    readonly feed: string
    readonly answers: Answers
    readonly now: number
  },
): Problem | InvalidParam {
  const { dataset, feed, answers, now } = of
  const [code = ''] = codes
  const outcomes = codes.map((one) => answers.get(one) ?? null)
  if (codes.length > 0 && outcomes.every((one) => one?.outcome === 'ABSENT'))
    return new InvalidParam('expected a municipality with a forecast of AEMET', { parameter: 'municipality' })
  const name = `${municipalityByCode(code)?.name ?? code} (${code})${codes.length > 1 ? ` and ${codes.length - 1} more` : ''}`
  const failed = outcomes.find((one) => one?.outcome === 'FAILED')
  const what = failed ? `${feed}, which could not fetch it and tries again` : `${feed}, which is fetching it now`
  return noDataYet(`No forecast of ${name} has arrived yet`, {
    missing: [dataset],
    waits_for: [what],
    retry_after_s: failed ? Math.max(1, Math.ceil((failed.until - now) / 1000)) : 5,
  })
}
