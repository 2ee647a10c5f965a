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

/** Where the delay of an incident is from. */
export const DELAY_SOURCES = defineCodes('delay_source', 'Where the delay of an incident is from.', {
  reported: ['Comunicado por la fuente', 'Reported by the source'],
  estimated: ['Estimado por longitud y nivel de la congestión', 'Estimated by length and level of the congestion'],
})

/** Which way of the road is meant. */
export const ROAD_DIRECTIONS = defineCodes('road_direction', 'Direction along the road by its kilometre posts.', {
  POSITIVE: ['Creciente', 'Increasing km'],
  NEGATIVE: ['Decreciente', 'Decreasing km'],
  BOTH: ['Ambos sentidos', 'Both directions'],
  UNKNOWN: ['Desconocido', 'Unknown'],
})

/** Whether a variable-message panel shows something. */
export const PANEL_DISPLAYS = defineCodes('panel_display', 'Whether a variable-message panel shows something.', {
  MESSAGE: ['Muestra texto o pictogramas', 'Shows text or pictograms'],
  BLANK: ['Mensaje activo en blanco', 'A message is set, but it is blank'],
  EMPTY: ['Sin mensaje', 'No message is set'],
  UNKNOWN: ['Se desconoce: la última publicación no incluye el panel', 'Not known: the newest publication lacks the panel'],
})

/** Level of service of Madrid's traffic centre. */
export const LEVELS_OF_SERVICE = defineCodes('level_of_service', 'State of traffic at a sensor.', {
  FLUID: ['Fluido', 'Fluid'],
  SLOW: ['Lento', 'Slow'],
  QUEUES: ['Retenciones', 'Queues'],
  CONGESTION: ['Congestión', 'Congestion'],
})

/** State of traffic in the one vocabulary of all cities. */
export const TRAFFIC_LEVELS = defineCodes('traffic_level', 'State of traffic, in one vocabulary for all cities.', {
  FREE: ['Fluido', 'Free'],
  DENSE: ['Denso', 'Dense'],
  VERY_DENSE: ['Muy denso', 'Very dense'],
  CONGESTED: ['Congestionado', 'Congested'],
  CLOSED: ['Cortado', 'Closed'],
  UNKNOWN: ['Sin datos', 'No data'],
})

/** What a level of traffic is based on. */
export const LEVEL_BASES = defineCodes('level_basis', 'What a level of traffic is based on.', {
  PUBLISHED: ['Estado que publica la fuente', 'State that the source publishes'],
  OCCUPANCY: ['Calculado por el servicio a partir de la ocupación', 'Computed by this service from the occupancy'],
})

/** Kinds of traffic sensor. */
export const SENSOR_TYPES = defineCodes('sensor_type', 'Kind of traffic sensor.', {
  URBAN: ['Urbano', 'Urban'],
  M30: ['M-30', 'M-30 ring road'],
  SECTION: ['Tramo de calle', 'Street section'],
  INTERURBAN: ['Carril de carretera interurbana', 'Lane of an interurban road'],
  OTHER: ['Otro', 'Other'],
})

/** What part of a road a detector of DGT stands on. */
export const DETECTOR_SITES = defineCodes('detector_site', 'Kind of road or lane that a detector stands on.', {
  MOTORWAY: ['Autopista o autovía', 'Motorway'],
  RING_ROAD: ['Circunvalación', 'Ring road'],
  NATIONAL_ROAD: ['Carretera nacional', 'National road'],
  REGIONAL_ROAD: ['Carretera autonómica', 'Regional road'],
  ENTRY: ['Entrada', 'Entry slip road'],
  EXIT: ['Salida', 'Exit slip road'],
  BUS_HOV: ['Bus-VAO', 'Bus and high-occupancy vehicle lane'],
  NONE: ['Ninguna', 'None stated'],
})

/** Whether the publisher trusts its own reading. */
export const READING_QUALITIES = defineCodes('reading_quality', 'Quality the publisher gives a reading.', {
  OK: ['Correcta', 'OK'],
  DEGRADED: ['Con muestras no óptimas', 'Made of sub-optimal samples too'],
  ERROR: ['Errónea según la fuente', 'Wrong according to the source'],
  UNKNOWN: ['Sin indicar', 'Not stated'],
})

/** Why nothing is called typical of an hour. */
export const TYPICAL_ABSENCES = defineCodes('typical_absence', 'Why nothing is called typical of an hour and kind of day.', {
  FEW_WEEKS: ['Muy pocas semanas con esa hora', 'Too few weeks have the hour'],
  NOT_NOW: ['El historial no se puede leer ahora', 'History cannot be read now'],
  BY_CITY_ONLY: ['De tramos de calle solo se calcula por ciudad', 'Of street sections it is computed by city only'],
})

/** Why a city has no congestion index. */
export const INDEX_ABSENCES = defineCodes('congestion_index_absence', 'Why a city has no congestion index.', {
  NO_DATA: ['No ha llegado ningún dato de la ciudad', 'No data of the city has arrived'],
  NOT_GRADED: ['Ahora no hay ningún nivel de tráfico', 'No level of traffic is known now'],
  FEW_WEEKS: ['Muy pocas semanas con esa hora', 'Too few weeks have the hour'],
  NOT_NOW: ['El historial no se puede leer ahora', 'History cannot be read now'],
  NOT_TYPICAL: [
    'El historial no tiene niveles, o a esa hora lo habitual es 0',
    'History has no levels, or the typical share of the hour is 0',
  ],
})

/** Whether anything of the traffic of a city arrives. */
export const CITY_AVAILABILITIES = defineCodes('city_availability', 'Whether anything of the traffic of a city arrives.', {
  AVAILABLE: ['Disponible', 'Available'],
  NOT_YET: ['Aún no: no ha llegado ningún dato', 'Not yet: no data has arrived'],
})

/** The two directions of a permanent count station, as the publisher numbers them. */
export const COUNT_DIRECTIONS = defineCodes('count_direction', 'Direction of a count station, by its number in the list of stations.', {
  '1': ['Sentido 1', 'Direction 1'],
  '2': ['Sentido 2', 'Direction 2'],
})

/** What a forecast of traffic is of. */
export const TRAFFIC_SERIES = defineCodes('traffic_series', 'What a forecast of traffic is of.', {
  SENSOR: ['Sensor de tráfico', 'Traffic sensor'],
  COUNT_STATION: ['Estación permanente de aforo, un sentido', 'Permanent count station, one direction'],
  CORRIDOR: ['Corredor: media de sus sensores', 'Corridor: the mean of its sensors'],
})

/** Why there is no forecast of traffic. */
export const FORECAST_ABSENCES = defineCodes('forecast_absence', 'Why there is no forecast of the traffic of a series.', {
  FEW_DAYS: ['Muy pocos días con datos', 'Too few days have data'],
  SILENT: ['Sin datos en el último día', 'No data in the last day'],
})

/** What an hourly count is worth, told from the file it is in. */
export const COUNT_QUALITIES = defineCodes('count_quality', 'What an hourly count is worth.', {
  OK: ['Correcto', 'OK'],
  CEILING: ['Tope del contador: pasaron al menos tantos', 'Ceiling of the counter: at least so many passed'],
  ERROR: ['Tope del contador donde no puede haber tantos', 'Ceiling of the counter where there cannot be so many'],
  DEAD_DIRECTION: ['Sentido que no existe: calle de sentido único', 'Direction that is not there: a one-way street'],
  OUTAGE: ['Estación sin datos ese día', 'Station without data that day'],
  COPIED_DAY: ['Día igual a otro de la misma serie', 'Day equal to another one of the same series'],
})
