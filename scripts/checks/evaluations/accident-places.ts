import { Posts } from '../../../api/endpoints/road/posts.ts'
import { axesOf } from '../../../jobs/derive/road/axes/measure.ts'
import { placeOn } from '../../../jobs/derive/safety/positions.ts'
import { Axes, type AxisRow } from '../../../lake/places/axes.ts'
import { distanceM } from '../../../lake/places/distance.ts'
import type { Post } from '../../../lake/places/place-on-road.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Figure, Limit } from '../../../models/figures.ts'
import { diceOf } from '../../stand-in/random.ts'
import { type SpanishAccident, spanishAccidents } from '../../stand-in/world/accidents.ts'
import { makeWorld } from '../../stand-in/world/world.ts'
import { quantile, roadFigure } from './figures.ts'

/** Accidents to locate, and located records from which the points are made, each off by at most this much, m. */
const [ACCIDENTS, RECORDS, RECORD_ERROR_M] = [4000, 6000, 100]
const [MOST_P90_M, LEAST_WITHIN] = [100, 0.9]
const M_PER_DEGREE = 111_195

type OfRoad<T> = readonly (T & { readonly road: string })[]
interface Province {
  readonly code: string
  readonly network: {
    readonly sections: OfRoad<Parameters<typeof axesOf>[0][number]>
    readonly posts: OfRoad<Parameters<typeof axesOf>[1][number]>
  }
}

/**
 * How far the positions of simulated accidents by road and kilometre are from their true places, by method: on the axes of the
 * provinces, and between points of located records. `within_error` is the share that is not farther than the stated error.
 */
export function accidentFigures(seed: number, provinces: readonly Province[]): Figure[] {
  const world = makeWorld(seed)
  const accidents = spanishAccidents(world, 'dgt', 2024, ACCIDENTS)
  const axes = new Axes(provinces.flatMap(axisRows))
  const points = new Posts(pointsOf(seed, spanishAccidents(world, 'records', 2024, RECORDS)))
  const onAxis = (accident: OnRoad) => {
    const place = placeOn(axes, accident)
    return place === 'AMBIGUOUS' ? null : place
  }
  const byPoints = ({ road, km, province_code }: OnRoad) => points.at(foldRoad(road), km, province_code)[0] ?? null
  return [...figuresOf('accidents AXIS', accidents, onAxis, true), ...figuresOf('accidents POINTS', accidents, byPoints, false)]
}

interface OnRoad {
  readonly road: string
  readonly km: number
  readonly province_code: string
  readonly direction: null
}

function axisRows({ code, network }: Province): AxisRow[] {
  const posts = Map.groupBy(network.posts, ({ road }) => road)
  return [...Map.groupBy(network.sections, ({ road }) => road)].flatMap(([road, sections]) =>
    axesOf(sections, posts.get(road) ?? []).map(({ line, kilometres, ...axis }) => ({
      ...{ province: code, road, ...axis, kilometres, geometry: line },
      ...{ km_from: kilometres[0] as number, km_to: kilometres.at(-1) as number },
    })),
  )
}

/** Points of roads as records of a traffic authority would give them. */
function pointsOf(seed: number, records: readonly SpanishAccident[]): Post[] {
  return records.flatMap(({ index, municipality, road }) => {
    if (!road) return []
    const dice = diceOf(seed, 'record', index)
    const [angle, away_m] = [2 * Math.PI * dice(), RECORD_ERROR_M * dice()]
    const { lat, lon } = road.at
    const position = {
      lat: lat + (away_m * Math.sin(angle)) / M_PER_DEGREE,
      lon: lon + (away_m * Math.cos(angle)) / M_PER_DEGREE / Math.cos((lat * Math.PI) / 180),
    }
    const { name, km } = road
    return [{ road: name, province_code: municipality.province, km, position, source: 'dgt', records: 1, error_m: RECORD_ERROR_M }]
  })
}

function figuresOf(
  series: string,
  accidents: readonly SpanishAccident[],
  locate: (accident: OnRoad) => { readonly position: Point; readonly error_m: number } | null,
  isLimited: boolean,
): Figure[] {
  const onRoads = accidents.flatMap(({ municipality, road }) =>
    road ? [{ road: road.name, km: road.km, at: road.at, province_code: municipality.province, direction: null }] : [],
  )
  const located = onRoads.flatMap((accident) => {
    const place = locate(accident)
    return place ? [{ away_m: distanceM(place.position, accident.at), error_m: place.error_m }] : []
  })
  if (located.length === 0) return []
  const aways = located.map(({ away_m }) => away_m)
  const figure = (metric: string, value: number, limit: Limit | null = null): Figure =>
    roadFigure({ series, window: 'simulated', metric, value, limit: isLimited ? limit : null, points: located.length })
  return [
    figure('p50_m', quantile(aways, 0.5)),
    figure('p90_m', quantile(aways, 0.9), { max: MOST_P90_M }),
    figure('within_error', located.filter(({ away_m, error_m }) => away_m <= error_m).length / located.length, { min: LEAST_WITHIN }),
    figure('located_share', located.length / onRoads.length),
  ]
}
