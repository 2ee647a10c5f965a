import { defineCodes } from '../../schema/codes.ts'

/** What kind of incident it is (api.md §4). */
export const INCIDENT_TYPES = defineCodes('incident_type', 'Kind of incident on the road.', {
  ACCIDENT: ['Accidente', 'Accident'],
  CONGESTION: ['Retención', 'Congestion'],
  ROADWORKS: ['Obras', 'Roadworks'],
  CLOSURE: ['Corte', 'Closure'],
  OBSTACLE: ['Obstáculo en la vía', 'Obstacle on the road'],
  BREAKDOWN: ['Vehículo averiado', 'Broken-down vehicle'],
  WEATHER: ['Meteorología adversa', 'Adverse weather'],
  EVENT: ['Evento', 'Event'],
  RESTRICTION: ['Restricción', 'Restriction'],
  OTHER: ['Otro', 'Other'],
})

/** How grave the source says it is (api.md §4): its highest level is CRITICAL, its lowest LOW. */
export const SEVERITIES = defineCodes('severity', 'Severity as the source grades it.', {
  LOW: ['Leve', 'Low'],
  MEDIUM: ['Media', 'Medium'],
  HIGH: ['Alta', 'High'],
  CRITICAL: ['Muy alta', 'Critical'],
  UNKNOWN: ['Desconocida', 'Unknown'],
})

/** Which way of the road is meant. */
export const ROAD_DIRECTIONS = defineCodes('road_direction', 'Direction along the road by its kilometre posts.', {
  POSITIVE: ['Creciente', 'Increasing km'],
  NEGATIVE: ['Decreciente', 'Decreasing km'],
  BOTH: ['Ambos sentidos', 'Both directions'],
  UNKNOWN: ['Desconocido', 'Unknown'],
})

/** Level of service of Madrid's traffic centre. */
export const LEVELS_OF_SERVICE = defineCodes('level_of_service', 'State of traffic at a sensor.', {
  FLUID: ['Fluido', 'Fluid'],
  SLOW: ['Lento', 'Slow'],
  QUEUES: ['Retenciones', 'Queues'],
  CONGESTION: ['Congestión', 'Congestion'],
})

/** Kinds of traffic sensor. */
export const SENSOR_TYPES = defineCodes('sensor_type', 'Kind of traffic sensor.', {
  URBAN: ['Urbano', 'Urban'],
  M30: ['M-30', 'M-30 ring road'],
  OTHER: ['Otro', 'Other'],
})

/** Whether the publisher trusts its own reading. */
export const READING_QUALITIES = defineCodes('reading_quality', 'Quality the publisher gives a reading.', {
  OK: ['Correcta', 'OK'],
  DEGRADED: ['Con muestras no óptimas', 'Made of sub-optimal samples too'],
  ERROR: ['Errónea según la fuente', 'Wrong according to the source'],
  UNKNOWN: ['Sin indicar', 'Not stated'],
})
