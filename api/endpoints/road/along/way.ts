import { simplifiedPoints } from '../../../../lake/places/lines.ts'
import type { Line, Point } from '../../../../lake/schema/columns.ts'
import { param } from '../../../kernel/params/params.ts'
import { InvalidParam } from '../../../kernel/problems.ts'
import type { Posts } from '../posts.ts'
import { type DrivenLine, type Leg, RoadGraph } from './road-graph.ts'

const POSITION = /^(-?\d{1,3}(?:\.\d{1,15})?), ?(-?\d{1,3}(?:\.\d{1,15})?)$/

/** A parameter for a position as `lat,lon`, WGS84 degrees. */
export const positionParam = (about: string, example: string) =>
  param<Point>({
    about: `${about}: \`lat,lon\` in WGS84 degrees.`,
    schema: { type: 'string', pattern: POSITION.source },
    parse: (text) => {
      const [, lat, lon] = (POSITION.exec(text) ?? []).map(Number)
      if (lat === undefined || lon === undefined || Math.abs(lat) > 90 || Math.abs(lon) > 180)
        throw new InvalidParam('expected a position lat,lon in degrees, such as 40.4168,-3.7038')
      return { lat, lon }
    },
    example,
  })

/** How far the lines of the graph may be from the axes, m: half of their points are enough. */
export const SIMPLIFIED_M = 20
const graphs = new WeakMap<Posts, Promise<RoadGraph>>()

function graphOf(posts: Posts): Promise<RoadGraph> {
  const known = graphs.get(posts) ?? RoadGraph.of(linesOf(posts))
  graphs.set(posts, known)
  return known
}

function linesOf(posts: Posts): DrivenLine[] {
  return [...posts.roads].flatMap((key): DrivenLine[] => [
    ...posts.axes.of(key).map((axis) => ({
      ...{ road: axis.road, direction: axis.direction, isMeasured: true },
      line: simplified(posts.axes.part(axis, axis.km_from, axis.km_to).line),
    })),
    ...posts.runs(key).map((run) => ({
      ...{ road: run[0].road, direction: 'UNKNOWN', isMeasured: false },
      line: run.map(({ position }) => [position.lon, position.lat] as const),
    })),
  ])
}

const simplified = (line: Line): Line => simplifiedPoints(line, SIMPLIFIED_M).map((at) => line[at] as Line[0])

/** The fastest way by road at assumed speeds. Throws `InvalidParam` for a place over 5 km from a road, or without a way. */
export async function wayBetween(posts: Posts, origin: Point, destination: Point): Promise<Leg[]> {
  const graph = await graphOf(posts)
  for (const [parameter, place] of Object.entries({ origin, destination }))
    if (!graph.isNear(place))
      throw new InvalidParam('expected a place within 5 km of a known road', { parameter, value: `${place.lat},${place.lon}` })
  const legs = graph.way(origin, destination)
  if (legs?.length) return legs
  const value = `${destination.lat},${destination.lon}`
  throw new InvalidParam('expected a place that the known roads lead to from the origin', { parameter: 'destination', value })
}
