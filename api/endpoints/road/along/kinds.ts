import { defineCodes } from '../../../../lake/schema/codes.ts'
import { listOf, oneOf } from '../../../kernel/params/params.ts'

/** Kinds of things along a road. */
export const ROAD_ITEMS = defineCodes('road_item', 'Kind of thing along a road or a path.', {
  INCIDENT: ['Incidencia', 'Incident'],
  WORKS: ['Obras', 'Roadworks'],
  BEACON: ['Baliza V16', 'V16 beacon'],
  PANEL: ['Panel de mensaje variable', 'Variable-message panel'],
  CAMERA: ['Cámara', 'Camera'],
  SPEED_CAMERA: ['Radar', 'Speed camera'],
  SENSOR: ['Detector de tráfico', 'Traffic detector'],
  WEATHER_WARNING: ['Aviso meteorológico', 'Weather warning'],
  WEATHER_STATION: ['Estación meteorológica', 'Weather station'],
  FUEL_STATION: ['Gasolinera', 'Filling station'],
  CHARGING_SITE: ['Electrolinera', 'Charging site'],
  LOW_EMISSION_ZONE: ['Zona de bajas emisiones', 'Low-emission zone'],
})

export type RoadItemKind = keyof typeof ROAD_ITEMS.codes

/** All kinds of things. */
export const KINDS = Object.keys(ROAD_ITEMS.codes) as RoadItemKind[]
/** Detectors of each lane are too many unless a caller wants them. */
export const DEFAULT_KINDS = KINDS.filter((kind) => kind !== 'SENSOR')

/** The kinds that a request wants. */
export const includeParam = listOf(oneOf('Only these kinds of things; by default all but SENSOR.', KINDS, { example: 'INCIDENT' }))

/** How traffic at a thing runs relative to a path. */
export const RELATIONS = defineCodes('path_relation', 'How the traffic that a thing concerns runs relative to the path.', {
  SAME_DIRECTION: ['En el sentido de la marcha', 'In the direction of travel'],
  OPPOSITE_DIRECTION: ['En sentido contrario', 'In the opposite direction'],
  BOTH_DIRECTIONS: ['En ambos sentidos', 'In both directions'],
  CROSSING_ROAD: ['En una carretera que cruza', 'On a road that crosses the path'],
  UNKNOWN: ['Se desconoce', 'Unknown: the thing states no direction, or its road is not located'],
})

export type Relation = keyof typeof RELATIONS.codes

/** Sides of a path. */
export const SIDES = defineCodes('path_side', 'Side of a path, in its direction of travel.', {
  LEFT: ['Izquierda', 'Left'],
  RIGHT: ['Derecha', 'Right'],
})
