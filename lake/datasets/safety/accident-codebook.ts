import { col } from '../../schema/columns.ts'
import { safetyDataset } from '../domains.ts'
import { dgtAccidentFiles } from './sources.ts'

/**
 * How a source encodes a column of road_accidents: its variable, and our code for each of its values. A null code means that the
 * source does not know. Values missing here are stored unchanged in `<column>_source`.
 */
export interface SourceVariable {
  readonly variable: string
  readonly values: Readonly<Record<string, string | null>>
}

/** Variables by column. */
type Variables = Readonly<Record<string, SourceVariable>>

/** Codes that mean absence in every variable of the national table, with the reason. */
export const DGT_ABSENT: Readonly<Record<string, string>> = Object.freeze({ '998': 'NOT_APPLICABLE', '999': 'NOT_SPECIFIED' })

/** The values in order, numbered from 1 as in the dictionary of the national table. */
function numbered(variable: string, codes: readonly (string | null)[]): SourceVariable {
  return { variable, values: Object.fromEntries(codes.map((code, at) => [String(at + 1), code])) }
}

/** The national table (DGT), by its dictionary. */
export const DGT_VARIABLES = Object.freeze({
  island: numbered('ISLA', [
    ...['MALLORCA', 'MENORCA', 'IBIZA', 'FORMENTERA', 'CABRERA', 'CONEJERA', 'GRAN_CANARIA', 'FUERTEVENTURA'],
    ...['LANZAROTE', 'TENERIFE', 'LA_PALMA', 'LA_GOMERA', 'EL_HIERRO'],
  ]),
  zone: numbered('ZONA', ['ROAD', 'CROSSING', 'STREET', 'URBAN_MOTORWAY']),
  is_urban: numbered('ZONA_AGRUPADA', ['false', 'true']),
  direction: numbered('SENTIDO_1F', ['POSITIVE', 'NEGATIVE', 'BOTH', 'UNKNOWN']),
  road_owner: numbered('TITULARIDAD_VIA', ['STATE', 'REGION', 'PROVINCE', 'MUNICIPALITY', 'OTHER']),
  road_type: numbered('TIPO_VIA', [
    ...['TOLL_MOTORWAY', 'FREE_MOTORWAY', 'AUTOVIA', 'CAR_ROAD', 'CONVENTIONAL_DUAL', 'CONVENTIONAL_SINGLE', 'SERVICE_ROAD'],
    ...['SLIP_ROAD', 'STREET', 'LOCAL_TRACK', 'ENCLOSURE', 'CYCLE_ROAD', 'CYCLE_PATH', 'OTHER'],
  ]),
  accident_type: numbered('TIPO_ACCIDENTE', [
    ...['HEAD_ON', 'FRONT_SIDE', 'SIDE', 'REAR_END', 'MULTIPLE', 'FIXED_OBJECT', 'PEDESTRIAN', 'ANIMAL', 'OVERTURN', 'FALL', 'RUN_OFF'],
    ...['RUN_OFF_LEFT_COLLISION', 'RUN_OFF_LEFT_DROP', 'RUN_OFF_LEFT_OVERTURN', 'RUN_OFF_LEFT_OTHER', 'RUN_OFF_RIGHT_COLLISION'],
    ...['RUN_OFF_RIGHT_DROP', 'RUN_OFF_RIGHT_OVERTURN', 'RUN_OFF_RIGHT_OTHER', 'OTHER'],
  ]),
  is_junction: numbered('NUDO', ['true', 'false']),
  junction_type: numbered('NUDO_INFO', [
    ...['CROSSROADS', 'T_OR_Y', 'STAR', 'ROUNDABOUT', 'SPLIT_ROUNDABOUT', 'MINI_ROUNDABOUT', 'DOUBLE_ROUNDABOUT'],
    ...['LEVEL_CROSSING_BARRIER', 'LEVEL_CROSSING_OPEN', 'INTERCHANGE_LANES', 'INTERCHANGE_PLAIN', 'FORK'],
  ]),
  alignment: numbered('TRAZADO_PLANTA', ['STRAIGHT', 'SIGNED_BEND', 'UNSIGNED_BEND', null]),
  surface: numbered('CONDICION_FIRME', ['DRY', 'MUD_GRAVEL', 'WET', 'FLOODED', 'ICE', 'SNOW', 'OIL', 'OTHER', null]),
  light: numbered('CONDICION_ILUMINACION', ['DAYLIGHT', 'TWILIGHT_UNLIT', 'TWILIGHT_LIT', 'DARK_LIT', 'DARK_OFF', 'DARK_UNLIT']),
  weather: numbered('CONDICION_METEO', ['CLEAR', 'CLOUDY', 'LIGHT_RAIN', 'HEAVY_RAIN', 'HAIL', 'SNOW', null]),
  fog: numbered('CONDICION_NIEBLA', ['LIGHT', 'DENSE']),
  is_windy: { variable: 'CONDICION_VIENTO', values: { '1': 'true', '.': 'false' } },
  sight_limit: numbered('VISIB_RESTRINGIDA_POR', [
    ...['NONE', 'BUILDINGS', 'ROAD_ITEMS', 'TERRAIN', 'WEATHER', 'SUN', 'STREET_LIGHT', 'HEADLIGHTS', 'VEHICLE', 'WORKS', 'CONTAINERS'],
    ...['VEGETATION', 'DECORATION', 'OTHER_OBJECTS', 'PANELS', 'VEHICLE_PARTS', 'OTHER', null],
  ]),
  sidewalk: numbered('ACERA', ['NONE', 'IMPASSABLE', 'FLUSH', 'RAISED']),
  traffic_level: numbered('CONDICION_NIVEL_CIRCULA', ['WHITE', 'GREEN', 'YELLOW', 'RED', 'BLACK', null]),
} as const satisfies Variables)

/** Yes-or-no priority variables of the national table, by rule. */
export const DGT_PRIORITY: Readonly<Record<string, string>> = Object.freeze({
  RULE: 'PRIORI_NORMA',
  AGENT: 'PRIORI_AGENTE',
  TRAFFIC_LIGHT: 'PRIORI_SEMAFORO',
  STOP_SIGN: 'PRIORI_VERT_STOP',
  YIELD_SIGN: 'PRIORI_VERT_CEDA',
  STOP_LINE: 'PRIORI_HORIZ_STOP',
  YIELD_LINE: 'PRIORI_HORIZ_CEDA',
  MARKINGS: 'PRIORI_MARCAS',
  CROSSWALK: 'PRIORI_PEA_NO_ELEV',
  RAISED_CROSSWALK: 'PRIORI_PEA_ELEV',
  CYCLE_MARKING: 'PRIORI_MARCA_CICLOS',
  TEMPORARY: 'PRIORI_CIRCUNSTANCIAL',
  OTHER: 'PRIORI_OTRA',
})

/** Means of transport in the names of the totals of persons killed: `TOT_<name>_MU24H`, `TOT_<name>_MU30DF`. */
export const DGT_USERS: Readonly<Record<string, string>> = Object.freeze({
  PEDESTRIAN: 'PEAT',
  BICYCLE: 'BICI',
  MOPED: 'CICLO',
  MOTORCYCLE: 'MOTO',
  CAR: 'TUR',
  VAN: 'FURG',
  LIGHT_LORRY: 'CAM_MENOS3500',
  HEAVY_LORRY: 'CAM_MAS3500',
  BUS: 'BUS',
  SCOOTER: 'VMP',
  OTHER: 'OTRO',
  UNSPECIFIED: 'SINESPECIF',
})

/** Columns of the national table that are read unchanged: numbers, names and the id. */
export const DGT_PLAIN: Readonly<Record<string, readonly string[]>> = Object.freeze({
  accident_id: ['ID_ACCIDENTE'],
  year: ['ANYO'],
  month: ['MES'],
  weekday_iso: ['DIA_SEMANA'],
  hour_local: ['HORA'],
  province_code: ['COD_PROVINCIA'],
  municipality_code: ['COD_MUNICIPIO'],
  road: ['CARRETERA'],
  km: ['KM'],
  crossing_road: ['CARRETERA_CRUCE'],
  killed_24h: ['TOTAL_MU24H'],
  hospitalised_24h: ['TOTAL_HG24H'],
  slight_24h: ['TOTAL_HL24H'],
  killed_30d: ['TOTAL_MU30DF'],
  hospitalised_30d: ['TOTAL_HG30DF'],
  slight_30d: ['TOTAL_HL30DF'],
  vehicles: ['TOTAL_VEHICULOS'],
})

/** Madrid, by its labels. */
export const MADRID_VARIABLES = Object.freeze({
  accident_type: {
    variable: 'tipo_accidente',
    values: {
      'Colisión fronto-lateral': 'FRONT_SIDE',
      Alcance: 'REAR_END',
      'Colisión lateral': 'SIDE',
      'Choque contra obstáculo fijo': 'FIXED_OBJECT',
      'Atropello a persona': 'PEDESTRIAN',
      'Atropello a animal': 'ANIMAL',
      'Colisión múltiple': 'MULTIPLE',
      Caída: 'FALL',
      'Colisión frontal': 'HEAD_ON',
      'Solo salida de la vía': 'RUN_OFF',
      Vuelco: 'OVERTURN',
      Despeñamiento: 'DROP',
      Otro: 'OTHER',
    },
  },
  weather: {
    variable: 'estado_meteorológico',
    values: {
      Despejado: 'CLEAR',
      Nublado: 'CLOUDY',
      'Lluvia débil': 'LIGHT_RAIN',
      'LLuvia intensa': 'HEAVY_RAIN',
      Granizando: 'HAIL',
      Nevando: 'SNOW',
      'Se desconoce': null,
    },
  },
} as const satisfies Variables)

/** Barcelona, by its labels. */
export const BARCELONA_VARIABLES = Object.freeze({
  pedestrian_cause: {
    variable: 'Descripcio_causa_vianant',
    values: {
      'No és causa del  vianant': 'NONE',
      'Desobeir el senyal del semàfor': 'IGNORED_LIGHT',
      'Desobeir altres senyals': 'IGNORED_SIGN',
      'Creuar per fora pas de vianants': 'CROSSED_OUTSIDE',
      'Transitar a peu per la calçada': 'ON_CARRIAGEWAY',
      Altres: 'OTHER',
    },
  },
} as const satisfies Variables)

/** Catalonia, by the known labels of its list. */
export const CATALAN_VARIABLES = Object.freeze({
  zone: { variable: 'D_SUBZONA', values: { Carretera: 'ROAD', 'Zona urbana': 'URBAN', Travessera: 'CROSSING' } },
  is_urban: { variable: 'zona', values: { Carretera: 'false', 'Zona urbana': 'true' } },
  road_owner: {
    variable: 'D_TITULARITAT_VIA',
    values: { Estatal: 'STATE', Autonòmica: 'REGION', Provincial: 'PROVINCE', Municipal: 'MUNICIPALITY', Altres: 'OTHER' },
  },
  road_type: {
    variable: 'D_TIPUS_VIA',
    values: {
      'Carretera convencional': 'CONVENTIONAL',
      'Via urbana( inclou carrer i carrer residencial)': 'STREET',
      Autopista: 'MOTORWAY',
      Autovia: 'AUTOVIA',
      'Camí rural': 'LOCAL_TRACK',
      'Camí rural/pista forestal': 'LOCAL_TRACK',
      // Our list classifies it as a junction.
      'Pas a nivell': 'OTHER',
      Altres: 'OTHER',
    },
  },
  accident_type: {
    variable: 'D_SUBTIPUS_ACCIDENT',
    values: {
      Encalç: 'REAR_END',
      'Col·lisió frontal': 'HEAD_ON',
      'Envestida (frontal lateral)': 'FRONT_SIDE',
      'Fregament o col·lisió lateral': 'SIDE',
      Atropellament: 'PEDESTRIAN',
      'Caiguda en la via': 'FALL',
      'Sortida de via amb xoc': 'RUN_OFF_COLLISION',
      'Sortida de via amb xoc o col·lisió': 'RUN_OFF_COLLISION',
      'Sortida de via amb bolcada': 'RUN_OFF_OVERTURN',
      'Sortida de via amb atropellament': 'RUN_OFF_PEDESTRIAN',
      'Resta sortides de via': 'RUN_OFF',
      'Xoc amb animal': 'ANIMAL',
      'Xoc amb animal a la calçada': 'ANIMAL',
      Altres: 'OTHER',
      'Xoc contra objecte/obstacle sense sortida prèvia de via': 'FIXED_OBJECT',
    },
  },
  is_junction: {
    variable: 'D_INTER_SECCIO',
    values: { 'Dintre intersecció': 'true', 'Arribant o eixint intersecció fins 50m': 'true', 'En secció': 'false' },
  },
  junction_type: {
    variable: 'D_SUBTIPUS_TRAM',
    values: {
      'Intersecció en T o Y': 'T_OR_Y',
      'Encreuament o intersecció en X o +': 'CROSSROADS',
      Giratòria: 'ROUNDABOUT',
      "Enllaç d'entrada o eixida": 'INTERCHANGE',
    },
  },
  surface: {
    variable: 'D_SUPERFICIE',
    values: { 'Sec i net': 'DRY', Mullat: 'WET', Relliscós: 'SLIPPERY', Inundat: 'FLOODED', Nevat: 'SNOW', Gelat: 'ICE' },
  },
  light: {
    variable: 'D_LLUMINOSITAT',
    values: {
      'De dia, dia clar': 'DAYLIGHT',
      'De dia, dia fosc': 'DAYLIGHT',
      'Alba o capvespre': 'TWILIGHT',
      'De nit, il·luminació artificial suficient': 'DARK_LIT',
      'De nit, il·luminació artificial insuficient': 'DARK_LIT',
      'De nit, sense llum artificial': 'DARK_UNLIT',
    },
  },
  weather: {
    variable: 'D_CLIMATOLOGIA',
    values: { 'Bon temps': 'CLEAR', 'Pluja dèbil': 'LIGHT_RAIN', 'Pluja forta': 'HEAVY_RAIN', Calamarsa: 'HAIL', Nevant: 'SNOW' },
  },
} as const satisfies Variables)

/** Columns that the files of cities and Catalonia have in one or several variables, without a list of values. */
export const OTHER_PLAIN: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = Object.freeze({
  madrid: {
    accident_id: ['num_expediente'],
    occurred_at: ['fecha', 'hora'],
    street: ['localizacion', 'numero'],
    district: ['distrito'],
    position: ['coordenada_x_utm', 'coordenada_y_utm'],
    persons: ['tipo_persona'],
    killed_24h: ['cod_lesividad'],
    hospitalised_24h: ['cod_lesividad'],
    slight_24h: ['cod_lesividad'],
  },
  barcelona: {
    accident_id: ['Numero_expedient'],
    occurred_at: ['NK_Any', 'Mes_any', 'Dia_mes', 'Hora_dia'],
    street: ['Nom_carrer', 'Num_postal'],
    district: ['Nom_districte'],
    position: ['Coordenada_UTM_X_ED50', 'Coordenada_UTM_Y_ED50'],
    killed_24h: ['Numero_morts'],
    hospitalised_24h: ['Numero_lesionats_greus'],
    slight_24h: ['Numero_lesionats_lleus'],
    vehicles: ['Numero_vehicles_implicats'],
  },
  sct_accidents: {
    occurred_at: ['dat', 'hor'],
    province_code: ['nomDem'],
    municipality_code: ['nomMun'],
    road: ['via'],
    km: ['pk'],
    killed_24h: ['F_MORTS'],
    hospitalised_24h: ['F_FERITS_GREUS'],
    slight_24h: ['F_FERITS_LLEUS'],
    vehicles: ['F_UNITATS_IMPLICADES', 'F_VIANANTS_IMPLICADES'],
  },
})

/** The codebook of the national accident table: the values of each variable, in the publisher's words. */
export const accidentCodebook = safetyDataset({
  id: 'accident_codebook',
  title: 'Codebook of accidents',
  about: "Variables of the national accident table with their values and labels, from the publisher's dictionary.",
  sources: [dgtAccidentFiles],
  columns: {
    source: col.string(1, 'Source whose variable it is.', { example: 'dgt_accidents' }),
    variable: col.string(2, 'Name of the variable.', { example: 'TIPO_VIA' }),
    value: col.string(3, 'Value as published; - means empty, or a note about all values.', { example: '3' }),
    label: col.string(4, 'What it means, in Spanish, as published.', { example: 'Autovía' }),
    observed_at: col.instant(5, 'Fetch of this state: the dictionary has no date.', {
      example: '2025-11-05T00:00:00.000Z',
    }),
  },
  entity: ['source', 'variable', 'value'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
