import { DGT_PRIORITY, DGT_USERS, DGT_VARIABLES } from '../../../lake/datasets/safety/accident-codebook.ts'
import {
  ACCIDENT_TYPES,
  ACCIDENT_WEATHER,
  ACCIDENT_ZONES,
  ALIGNMENTS,
  FOGS,
  ISLANDS,
  JUNCTION_TYPES,
  LIGHTS,
  ROAD_OWNERS,
  ROAD_TYPES,
  SIDEWALKS,
  SIGHT_LIMITS,
  SURFACES,
  TRAFFIC_LEVELS,
} from '../../../lake/datasets/safety/codes.ts'
import type { CodeList } from '../../../lake/schema/codes.ts'
import { keptOf, type Variant } from '../publisher.ts'
import { between, pick } from '../random.ts'
import type { SpanishAccident } from '../world/accidents.ts'
import { type SheetContent, writeXlsx } from './xlsx.ts'

const USERS_24H = Object.values(DGT_USERS).filter((user) => user !== 'VMP')
const USERS_30D = Object.values(DGT_USERS)

/** The 73 columns of 2024, in order. */
const HEADER: readonly string[] = [
  ...namesOf(`
    ID_ACCIDENTE ANYO MES DIA_SEMANA HORA COD_PROVINCIA COD_MUNICIPIO ISLA ZONA ZONA_AGRUPADA CARRETERA KM SENTIDO_1F TITULARIDAD_VIA
    TIPO_VIA TIPO_ACCIDENTE TOTAL_MU24H TOTAL_HG24H TOTAL_HL24H TOTAL_VICTIMAS_24H TOTAL_MU30DF TOTAL_HG30DF TOTAL_HL30DF
    TOTAL_VICTIMAS_30DF TOTAL_VEHICULOS`),
  ...USERS_24H.map((user) => `TOT_${user}_MU24H`),
  ...USERS_30D.map((user) => `TOT_${user}_MU30DF`),
  ...['NUDO', 'NUDO_INFO', 'CARRETERA_CRUCE', ...Object.values(DGT_PRIORITY)],
  ...namesOf(`
    CONDICION_NIVEL_CIRCULA CONDICION_FIRME CONDICION_ILUMINACION CONDICION_METEO CONDICION_NIEBLA CONDICION_VIENTO
    VISIB_RESTRINGIDA_POR ACERA TRAZADO_PLANTA`),
]

function namesOf(text: string): string[] {
  return text.trim().split(/\s+/)
}

/** Content of the table. */
interface AccidentTable {
  readonly year: number
  readonly accidents: readonly SpanishAccident[]
  readonly hasUnknownCodes: boolean
}

/**
 * `TABLA_ACCIDENTES_YY.XLSX`: a sheet, codes as numbers without leading zeros, kilometres as text with a decimal comma. Dated
 * `at` (ms).
 */
export function dgtAccidentTable({ year, accidents, hasUnknownCodes, at }: AccidentTable & { readonly at: number }): Buffer {
  const rows = function* (): Generator<readonly (string | number | null)[]> {
    yield HEADER
    for (const accident of accidents) yield rowOf(accident, year, hasUnknownCodes)
  }
  return writeXlsx([{ name: `ACCIDENTES_${String(year).slice(2)}`, rows: rows() }], at)
}

function rowOf(accident: SpanishAccident, year: number, hasUnknownCodes: boolean): (string | number | null)[] {
  const { dice, municipality, road, killed, serious, slight } = accident
  const user = pick(USERS_24H, dice())
  // A third of the deaths are after the first day.
  const killed24 = killed > 0 && dice() < 0.67 ? 1 : 0
  const isSmall = dice() < 0.3
  const isJunction = dice() < 0.4
  const oneOf = (most: number, other = 999): number => (dice() < 0.1 ? other : between(1, most, dice()))
  const values: Record<string, string | number | null> = {
    ID_ACCIDENTE: year * 1_000_000 + accident.index + 1,
    ANYO: year,
    MES: accident.month,
    DIA_SEMANA: between(1, 7, dice()),
    HORA: accident.hour,
    COD_PROVINCIA: Number(municipality.province),
    COD_MUNICIPIO: isSmall ? 0 : Number(municipality.code),
    ISLA: municipality.province === '35' ? 7 : municipality.province === '38' ? 10 : municipality.province === '07' ? 1 : null,
    ZONA: road ? pick([1, 1, 1, 2], dice()) : pick([3, 3, 3, 4], dice()),
    ZONA_AGRUPADA: road ? 1 : 2,
    CARRETERA: road ? (dice() < 0.03 ? 'No inventariada' : road.name) : null,
    KM: road ? String(road.km).replace('.', ',') : null,
    SENTIDO_1F: between(1, 4, dice()),
    TITULARIDAD_VIA: oneOf(5),
    TIPO_VIA: road ? between(1, 8, dice()) : 9,
    TIPO_ACCIDENTE: hasUnknownCodes && accident.index % 50 === 3 ? 77 : between(1, 20, dice()),
    TOTAL_MU24H: killed24,
    TOTAL_HG24H: serious + (killed - killed24),
    TOTAL_HL24H: slight,
    TOTAL_VICTIMAS_24H: killed + serious + slight,
    TOTAL_MU30DF: killed,
    TOTAL_HG30DF: serious,
    TOTAL_HL30DF: slight,
    TOTAL_VICTIMAS_30DF: killed + serious + slight,
    TOTAL_VEHICULOS: accident.vehicles,
    NUDO: isJunction ? 1 : 2,
    NUDO_INFO: isJunction ? oneOf(12) : null,
    CARRETERA_CRUCE: null,
    CONDICION_NIVEL_CIRCULA: oneOf(6),
    CONDICION_FIRME: oneOf(9),
    CONDICION_ILUMINACION: oneOf(6),
    CONDICION_METEO: oneOf(7),
    CONDICION_NIEBLA: dice() < 0.02 ? between(1, 2, dice()) : null,
    CONDICION_VIENTO: dice() < 0.02 ? 1 : null,
    VISIB_RESTRINGIDA_POR: oneOf(18),
    ACERA: oneOf(4, 998),
    TRAZADO_PLANTA: oneOf(4, 998),
  }
  for (const name of Object.values(DGT_PRIORITY)) values[name] = dice() < 0.2 ? 1 : dice() < 0.1 ? 999 : 0
  for (const one of USERS_24H) values[`TOT_${one}_MU24H`] = one === user ? killed24 : 0
  for (const one of USERS_30D) values[`TOT_${one}_MU30DF`] = one === user ? killed : 0
  return HEADER.map((name) => values[name] ?? null)
}

const LABELS: Readonly<Partial<Record<keyof typeof DGT_VARIABLES, CodeList>>> = {
  island: ISLANDS,
  zone: ACCIDENT_ZONES,
  road_owner: ROAD_OWNERS,
  road_type: ROAD_TYPES,
  accident_type: ACCIDENT_TYPES,
  junction_type: JUNCTION_TYPES,
  alignment: ALIGNMENTS,
  surface: SURFACES,
  light: LIGHTS,
  weather: ACCIDENT_WEATHER,
  fog: FOGS,
  sight_limit: SIGHT_LIMITS,
  sidewalk: SIDEWALKS,
  traffic_level: TRAFFIC_LEVELS,
}
const HEAD = ['Valor', 'Etiqueta'] as const

/** `Diccionario_Tabla_Accidentes.xlsx`: a sheet for each variable (as many as the variant has), and one of the totals. */
export function dgtDictionary({ at, variant }: { readonly at: number; readonly variant: Variant }): Buffer {
  const { hasUnknownCodes } = variant
  const sheets: SheetContent[] = keptOf(Object.entries(DGT_VARIABLES), variant).map(([column, { variable, values }]) => {
    const list = LABELS[column as keyof typeof DGT_VARIABLES]
    const label = (code: string | null): string =>
      code === null ? 'Se desconoce' : (list?.codes[code]?.es ?? (code === 'true' ? 'Sí' : 'No'))
    const rows = Object.entries(values).map(([value, code]) => [value === '.' ? value : Number(value), label(code)])
    return { name: variable, rows: [HEAD, ...rows, [999, 'Sin especificar']] }
  })
  for (const variable of keptOf(Object.values(DGT_PRIORITY), variant))
    sheets.push({ name: variable, rows: [HEAD, [1, 'Sí'], [0, 'No'], [999, 'Sin especificar']] })
  const totals = HEADER.filter((name) => name.startsWith('TOT'))
  sheets.push({
    name: 'TOTALIZADORES',
    rows: [['Valor', 'Nombre campo', 'Descripción'], ...totals.map((name) => ['NNN', name, `Número total: ${name}`])],
  })
  sheets.push({ name: 'KM', rows: [['Formato', '7.2']] })
  if (hasUnknownCodes) sheets.push({ name: 'VARIABLE_NUEVA', rows: [HEAD, [1, 'Nueva']] })
  return writeXlsx(sheets, at)
}
