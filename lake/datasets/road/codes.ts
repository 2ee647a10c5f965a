import { defineCodes } from '../../schema/codes.ts'

/** Kinds of incidents (api.md §4). */
export const INCIDENT_TYPES = defineCodes('incident_type', 'Kind of incident on the road.', {
  ACCIDENT: ['Accidente', 'Accident', 'Accident', 'Istripua', 'Accidente'],
  CONGESTION: ['Retención', 'Congestion', 'Retenció', 'Auto-ilara', 'Retención'],
  ROADWORKS: ['Obras', 'Roadworks', 'Obres', 'Obrak', 'Obras'],
  CLOSURE: ['Corte', 'Closure', 'Tall', 'Errepide itxia', 'Corte'],
  OBSTACLE: ['Obstáculo en la vía', 'Obstacle on the road', 'Obstacle a la via', 'Oztopoa bidean', 'Obstáculo na vía'],
  BREAKDOWN: ['Vehículo averiado', 'Broken-down vehicle', 'Vehicle avariat', 'Ibilgailu matxuratua', 'Vehículo avariado'],
  WEATHER: ['Meteorología adversa', 'Adverse weather', 'Meteorologia adversa', 'Eguraldi txarra', 'Meteoroloxía adversa'],
  EVENT: ['Evento', 'Event', 'Esdeveniment', 'Ekitaldia', 'Evento'],
  RESTRICTION: ['Restricción', 'Restriction', 'Restricció', 'Murrizketa', 'Restrición'],
  OTHER: ['Otro', 'Other', 'Altres', 'Beste bat', 'Outro'],
})

/** Severity as graded by the source (api.md §4): its highest level is CRITICAL, its lowest LOW. */
export const SEVERITIES = defineCodes('severity', 'Severity as the source grades it.', {
  LOW: ['Leve', 'Low', 'Lleu', 'Arina', 'Leve'],
  MEDIUM: ['Media', 'Medium', 'Mitjana', 'Ertaina', 'Media'],
  HIGH: ['Alta', 'High', 'Alta', 'Handia', 'Alta'],
  CRITICAL: ['Muy alta', 'Critical', 'Molt alta', 'Oso handia', 'Moi alta'],
  UNKNOWN: ['Desconocida', 'Unknown', 'Desconeguda', 'Ezezaguna', 'Descoñecida'],
})

/** Origin of an incident's delay. */
export const DELAY_SOURCES = defineCodes('delay_source', 'Origin of the delay of an incident.', {
  reported: ['Comunicado por la fuente', 'Reported by the source'],
  estimated: ['Estimado por longitud y nivel de la congestión', 'Estimated from length and level of the congestion'],
})

/** Directions along a road. */
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
  UNKNOWN: ['Se desconoce: la última publicación no incluye el panel', 'Unknown: the newest publication lacks the panel'],
})

/** Kinds of speed cameras. */
export const SPEED_CAMERA_TYPES = defineCodes('speed_camera_type', 'Kind of speed camera.', {
  FIXED: ['Fijo', 'Fixed', 'Fix', 'Finkoa', 'Fixo'],
  SECTION: ['De tramo: velocidad media', 'Average speed over a section', 'De tram', 'Tartekoa', 'De tramo'],
  MOBILE_SITE: [
    'Emplazamiento de radar móvil',
    'Site of a mobile camera',
    'Emplaçament de radar mòbil',
    'Radar mugikorraren kokalekua',
    'Emprazamento de radar móbil',
  ],
})

/** Levels of service of Madrid's traffic centre. */
export const LEVELS_OF_SERVICE = defineCodes('level_of_service', 'State of traffic at a sensor.', {
  FLUID: ['Fluido', 'Fluid', 'Fluid', 'Arina', 'Fluído'],
  SLOW: ['Lento', 'Slow', 'Lent', 'Geldoa', 'Lento'],
  QUEUES: ['Retenciones', 'Queues', 'Retencions', 'Auto-ilarak', 'Retencións'],
  CONGESTION: ['Congestión', 'Congestion', 'Congestió', 'Auto-pilaketa', 'Conxestión'],
})

/** State of traffic in a vocabulary common to all cities. */
export const TRAFFIC_LEVELS = defineCodes('traffic_level', 'State of traffic, in a vocabulary common to all cities.', {
  FREE: ['Fluido', 'Free', 'Fluid', 'Arina', 'Fluído'],
  DENSE: ['Denso', 'Dense', 'Dens', 'Trinkoa', 'Denso'],
  VERY_DENSE: ['Muy denso', 'Very dense', 'Molt dens', 'Oso trinkoa', 'Moi denso'],
  CONGESTED: ['Congestionado', 'Congested', 'Congestionat', 'Auto-pilaketa', 'Conxestionado'],
  CLOSED: ['Cortado', 'Closed', 'Tallat', 'Itxita', 'Cortado'],
  UNKNOWN: ['Sin datos', 'No data', 'Sense dades', 'Daturik gabe', 'Sen datos'],
})

/** Basis of a traffic level. */
export const LEVEL_BASES = defineCodes('level_basis', 'Basis of a traffic level.', {
  PUBLISHED: ['Estado que publica la fuente', 'State that the source publishes'],
  OCCUPANCY: ['Calculado por el servicio a partir de la ocupación', 'Computed by this service from occupancy'],
})

/** Kinds of traffic sensor. */
export const SENSOR_TYPES = defineCodes('sensor_type', 'Kind of traffic sensor.', {
  URBAN: ['Urbano', 'Urban'],
  M30: ['M-30', 'M-30 ring road'],
  SECTION: ['Tramo de calle', 'Street section'],
  INTERURBAN: ['Carril de carretera interurbana', 'Lane of an interurban road'],
  OTHER: ['Otro', 'Other'],
})

/** Kinds of road or lane of DGT's detectors. */
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
export const READING_QUALITIES = defineCodes('reading_quality', 'Quality of a reading, as graded by the publisher.', {
  OK: ['Correcta', 'OK'],
  DEGRADED: ['Con muestras no óptimas', 'Includes sub-optimal samples'],
  ERROR: ['Errónea según la fuente', 'Wrong according to the source'],
  UNKNOWN: ['Sin indicar', 'Not stated'],
})

/** Reasons why an hour has no typical value. */
export const TYPICAL_ABSENCES = defineCodes('typical_absence', 'Why an hour and kind of day have no typical value.', {
  FEW_WEEKS: ['Muy pocas semanas con esa hora', 'Too few weeks have the hour'],
  NOT_NOW: ['El historial no se puede leer ahora', 'History cannot be read now'],
  BY_CITY_ONLY: ['De tramos de calle solo se calcula por ciudad', 'For street sections it is computed by city only'],
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

/** Availability of a city's traffic data. */
export const CITY_AVAILABILITIES = defineCodes('city_availability', 'Whether traffic data of a city is arriving.', {
  AVAILABLE: ['Disponible', 'Available'],
  NOT_YET: ['Aún no: no ha llegado ningún dato', 'Not yet: no data has arrived'],
})

/** The two directions of a permanent count station, by the publisher's numbers. */
export const COUNT_DIRECTIONS = defineCodes('count_direction', 'Direction of a count station, by its number in the list of stations.', {
  '1': ['Sentido 1', 'Direction 1'],
  '2': ['Sentido 2', 'Direction 2'],
})

/** Kinds of series with traffic forecasts. */
export const TRAFFIC_SERIES = defineCodes('traffic_series', 'Kind of series that a traffic forecast is for.', {
  SENSOR: ['Sensor de tráfico', 'Traffic sensor'],
  COUNT_STATION: ['Estación permanente de aforo, un sentido', 'Permanent count station, one direction'],
  CORRIDOR: ['Corredor: media de sus sensores', 'Corridor: the mean of its sensors'],
})

/** Why an incident has no position. */
export const POSITION_ABSENCES = defineCodes('position_absent', 'Why an incident has no position.', {
  NO_KILOMETRE: ['Ni posición ni kilómetro publicados', 'Neither a position nor a kilometre of a road published'],
  NOT_LOCATED: ['Kilómetro de la carretera no localizado', 'Kilometre of the road not located'],
  AMBIGUOUS: ['Kilómetro en varios lugares', 'Kilometre at several places'],
})

/** Why there is no forecast of traffic. */
export const FORECAST_ABSENCES = defineCodes('forecast_absence', 'Why there is no forecast of the traffic of a series.', {
  FEW_DAYS: ['Muy pocos días con datos', 'Too few days have data'],
  SILENT: ['Sin datos en el último día', 'No data in the last day'],
})

/** Quality of an hourly count, inferred from its file. */
export const COUNT_QUALITIES = defineCodes('count_quality', 'Quality of an hourly count.', {
  OK: ['Correcto', 'OK'],
  CEILING: ['Tope del contador: pasaron al menos tantos', 'Counter ceiling: at least this many passed'],
  ERROR: ['Tope del contador donde no puede haber tantos', 'Counter ceiling at an implausible place'],
  DEAD_DIRECTION: ['Sentido que no existe: calle de sentido único', 'Nonexistent direction: a one-way street'],
  OUTAGE: ['Estación sin datos ese día', 'Station without data that day'],
  COPIED_DAY: ['Día igual a otro de la misma serie', 'Day identical to another of the same series'],
})

/** Kinds of sections in the national road network. */
export const SECTION_TYPES = defineCodes('road_section_type', 'Kind of a section of the road network.', {
  MAIN_LINE: ['Troncal', 'Main line'],
  LINK: ['Enlace', 'Link of a junction'],
  ROUNDABOUT: ['Rotonda', 'Roundabout'],
  SERVICE_ROAD: ['Vía de servicio', 'Service road'],
  OTHER: ['Otro', 'Other'],
})
