import { defineCodes } from '../../schema/codes.ts'

/** The ministry's studies. Zones, distance bands and activities differ: never add figures of one to the other. */
export const MOBILITY_STUDIES = defineCodes('mobility_study', 'Study of mobility; figures of different studies are not comparable.', {
  V1: ['Estudio de 2020 y 2021', 'Study of 2020 and 2021'],
  V2: ['Estudio desde 2022', 'Study since 2022'],
})

/** Levels of zones of the studies. */
export const ZONE_LEVELS = defineCodes('zone_level', 'Level of the zones of a study.', {
  DISTRICT: ['Distritos', 'Districts'],
  MUNICIPALITY: ['Municipios y agregados de municipios', 'Municipalities and aggregates of them'],
  GAU: ['Grandes áreas urbanas', 'Large urban areas'],
})

/** Distance bands of both studies. Each study has its own limits. */
export const DISTANCE_BANDS = defineCodes('distance_band', 'Length of a trip, in km; the studies have different limits.', {
  '0.5-2': ['De 0,5 a 2 km', '0.5 to 2 km'],
  '2-10': ['De 2 a 10 km (estudio desde 2022)', '2 to 10 km (study since 2022)'],
  '2-5': ['De 2 a 5 km (estudio de 2020 y 2021)', '2 to 5 km (study of 2020 and 2021)'],
  '5-10': ['De 5 a 10 km (estudio de 2020 y 2021)', '5 to 10 km (study of 2020 and 2021)'],
  '10-50': ['De 10 a 50 km', '10 to 50 km'],
  '>50': ['Más de 50 km (estudio desde 2022)', 'Over 50 km (study since 2022)'],
  '50-100': ['De 50 a 100 km (estudio de 2020 y 2021)', '50 to 100 km (study of 2020 and 2021)'],
  '>100': ['Más de 100 km (estudio de 2020 y 2021)', 'Over 100 km (study of 2020 and 2021)'],
})

/** Kinds of roads on the ministry's traffic map. */
export const IMD_ROAD_TYPES = defineCodes('imd_road_type', "Kind of road on the ministry's traffic map.", {
  CONVENTIONAL: ['Carretera convencional', 'Single carriageway'],
  MULTILANE: ['Multicarril', 'Several lanes, no motorway'],
  EXPRESSWAY: ['Autovía', 'Dual carriageway'],
  MOTORWAY: ['Autopista libre', 'Motorway without toll'],
  TOLL_MOTORWAY: ['Autopista de peaje', 'Toll motorway'],
})

/** Whether the vehicle-kilometres of a section equal length × days × daily traffic. */
export const VEH_KM_CHECKS = defineCodes('veh_km_check', 'Whether vehicle-km equal length × days × daily vehicles, as published.', {
  OK: ['Coinciden', 'They are'],
  DIFFERS: ['No coinciden', 'They are not'],
  NOT_STATED: ['Falta un dato', 'One of them is not stated'],
})

/** Why a road section has no line. */
export const LINE_ABSENCES = defineCodes('line_absence', 'Why a section of a road has no line.', {
  NO_POINTS: ['Faltan puntos de la carretera a menos de 5 km', 'Points of the road are missing within 5 km'],
  NOT_NOW: ['Los puntos no se pueden leer ahora', 'Points cannot be read now'],
})

/** Basis of a corridor's traffic figures. */
export const CORRIDOR_BASES = defineCodes(
  'corridor_basis',
  'Basis of the traffic figures of a corridor; figures of different bases are not comparable.',
  {
    MINISTRY_SECTIONS: ['Tramos del mapa de tráfico del Ministerio', "Sections of the ministry's traffic map"],
    CITY_SENSORS: ['Sensores de la ciudad', "The city's traffic sensors"],
    ROAD_DETECTORS: ['Detectores de la carretera, de todos los carriles', 'Detectors of the road, of all its lanes'],
  },
)

/** Kinds of days. */
export const DAY_TYPES = defineCodes('day_kind', 'Kind of day, with holidays separate.', {
  WORKDAY: ['Laborable', 'Monday to Friday, not a holiday'],
  SATURDAY: ['Sábado', 'Saturday, no holiday'],
  SUNDAY_HOLIDAY: ['Domingo o festivo', 'Sunday or holiday'],
})
