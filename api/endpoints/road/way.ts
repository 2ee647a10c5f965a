import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { simplifiedPoints } from '../../../lake/places/lines.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { field, meaning, record } from '../../kernel/fields.ts'
import { integerParam, required, withDefault } from '../../kernel/params/params.ts'
import { roadName } from '../../kernel/params/params-place.ts'
import { positionParam, SIMPLIFIED_M, wayBetween } from './along/way.ts'
import { ROAD_TABLES, roadPosts } from './posts.ts'

const leg = record('WayLeg', 'A part of a way that stays on one road.', {
  id: field.text('Its number in the order of travel, from 1.', '1'),
  road: meaning(roadPoints.columns.road, 'Road designation.'),
  distance_from_start_m: field.integer('Distance from the start of the way to the begin of this part.', 'm', 0),
  length_m: field.integer('Length of the part.', 'm', 16_240),
  duration_s: field.integer(
    'Time at assumed speeds: 105 km/h on a dual carriageway, 75 km/h elsewhere. No traffic is considered.',
    's',
    560,
  ),
  geometry: field.line('Its line, in the direction of travel.', {
    type: 'LineString',
    coordinates: [
      [1.87, 41.49],
      [1.9, 41.52],
    ],
  }),
})

/** The way between two places by road. */
export const wayLegs = defineEndpoint({
  path: '/api/geo/ruta',
  plan: 'FREE',
  isExtra: true,
  summary: 'The way between two places by road',
  summary_es: 'El camino por carretera entre dos lugares',
  about:
    'The fastest way at assumed speeds over roads with a designation, one part for each road, as GeoJSON unless another format is requested. Roads are joined where their lines cross or one ends: turn restrictions, ramps, closures and streets are not known, so it is no navigation. /api/trafico/ruta with the same origin and destination lists what is on it.',
  params: {
    origin: required(positionParam('Start of the journey', '41.4982,1.8703')),
    destination: required(positionParam('Its end', '41.5301,1.9262')),
    simplify: withDefault(
      integerParam(`Leaves out points of the line that are at most this far from it; ${SIMPLIFIED_M} by default.`, {
        ...{ min: 1, max: 5000, unit: 'm', example: '50' },
      }),
      SIMPLIFIED_M,
    ),
  },
  returns: listReturn('legs', leg, {
    sorts: ['distance_from_start_m', 'length_m'],
    order: 'distance_from_start_m',
    limit: { default: 1000, max: 20_000 },
    prefers: 'geojson',
    counts: {
      length_m: field.integer('Length of the way.', 'm', 16_240),
      duration_s: field.integer('Its time at assumed speeds.', 's', 560),
    },
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: ROAD_TABLES,
    needs: [roadPoints],
    answer: async ({ cached }, { origin, destination, simplify }) => {
      const legs = await wayBetween(await cached(roadPosts, ''), origin, destination)
      let [length_m, duration_s] = [0, 0]
      const records = legs.map((one, at) => {
        const distance_from_start_m = Math.round(length_m)
        length_m += one.length_m
        duration_s += one.duration_s
        return {
          id: String(at + 1),
          road: roadName(one.road),
          ...{ distance_from_start_m, length_m: Math.round(one.length_m), duration_s: Math.round(one.duration_s) },
          geometry: simplifiedPoints(one.line, simplify).map((point) => one.line[point] as Line[0]),
        }
      })
      return { records, counts: { length_m: Math.round(length_m), duration_s: Math.round(duration_s) } }
    },
  },
  example: { origin: '41.4982,1.8703', destination: '41.5301,1.9262' },
})
