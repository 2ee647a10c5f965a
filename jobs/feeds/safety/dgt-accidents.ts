import { DGT_ABSENT, DGT_PLAIN, DGT_PRIORITY, DGT_USERS, DGT_VARIABLES } from '../../../lake/datasets/safety/accident-codebook.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { dgtAccidentFiles } from '../../../lake/datasets/safety/sources.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import { eitherNumber, wholeNumber } from '../../formats/numbers.ts'
import { type Cell, openXlsx, type Workbook } from '../../formats/xlsx.ts'
import { batch, type Diagnostics, defineFeed, FormatError, lookUp } from '../define.ts'
import { columnsOf } from '../kit/binder.ts'
import { yearsFrom } from '../periods.ts'
import { watchPresence } from '../presence.ts'
import { type Accident, accidentFile, accidentOf, type CodedValue, codedBy, codedIf, monthSpan, RECENT_YEARS } from './accident.ts'

const DOWNLOADS = 'https://www.dgt.es/export/sites/web-DGT/.galleries/downloads/dgt-en-cifras'
/** The first year of the table; 2014 and 2015 have another layout. */
const FIRST_YEAR = 2016
const FOLDER = 'publicaciones/Ficheros_microdatos_de_accidentalidad_con_victimas'
/** Years in another folder than those around them; the last file name ends in capitals. */
const FOLDER_24H = { from: 2020, to: 2023, path: '24h', capitals: 2023 } as const
/** Size limit of a decompressed workbook: 102,000 rows of 73 cells have some 300 MB. */
const MOST_UNPACKED = 1_000_000_000
const SPANS = { '24h': 'MU24H', '30d': 'MU30DF' } as const
/** Scooters are counted by some editions only, and at 30 days only. */
const OPTIONAL = new Set(['TOT_VMP_MU24H', 'TOT_VMP_MU30DF'])
/** The publisher's column names, each with its names in other editions. */
const NAMES = Object.fromEntries(
  [
    ...Object.values(DGT_PLAIN).flat(),
    ...Object.values(DGT_VARIABLES).map(({ variable }) => variable),
    ...Object.values(DGT_PRIORITY),
    ...Object.values(DGT_USERS).flatMap((user) => Object.values(SPANS).map((span) => `TOT_${user}_${span}`)),
  ].map((name) => [name, name === 'ID_ACCIDENTE' ? 'ID_ACCIDENTE | SECUENCIAL' : name]),
)
const COLUMNS = columnsOf(NAMES, ['TOTAL_VICTIMAS_24H', 'TOTAL_VICTIMAS_30DF'])
/** Columns that every row needs. */
const NEEDS = ['ID_ACCIDENTE', 'ANYO', 'MES', 'COD_PROVINCIA', 'TOTAL_MU30DF', 'TOTAL_HG30DF', 'TOTAL_HL30DF']
/** Provinces with islands; others have none to name. */
const ISLANDS = new Set(['07', '35', '38'])
/** The placeholder for a road that is not in the inventory. */
const NO_ROAD = /^(no inventariada|sin denomi.*)$/i
/** A code missing from the dictionary's list of islands; the table uses it for "not stated". */
const NO_ISLAND = '0'
/** The meaning of an empty cell: the dictionary's `.` is "no strong wind was noticed", which spreadsheets show as empty. */
const EMPTY = { CONDICION_VIENTO: '.' }
/** Rows above the header that a sheet may have. */
const MOST_ABOVE = 20

/**
 * The national table of accidents with victims: a workbook per year, in autumn of the next year, a row for each accident on
 * roads and streets. It has month, weekday and hour but no date, and road and kilometre but no coordinates.
 */
export const dgtAccidents = defineFeed({
  id: 'dgt_accidents',
  source: dgtAccidentFiles,
  ...accidentFile({
    into: roadAccidents,
    url: addressOf(2024),
    expects: 'zip',
    maxBytes: 128_000_000,
    maxDecodedBytes: MOST_UNPACKED,
    atLeast: 200,
    minRatio: 0.5,
  }),
  archive: { unit: 'year', index: [], files: yearsFrom(FIRST_YEAR, addressOf), recent: RECENT_YEARS },
  async *rows(bodies, _clock, diagnostics) {
    for (const { bytes } of bodies) {
      const workbook = await openXlsx(bytes, { maxBytes: MOST_UNPACKED })
      const presence = watchPresence<Accident>('accidents', {
        'a municipality': (one) => one.municipality_code !== null,
        'a CARRETERA': (one) => one.road !== null,
        'a KM': (one) => one.km !== null,
        'a TIPO_ACCIDENTE': (one) => one.accident_type !== null,
        'a CONDICION_METEO': (one) => one.weather !== null,
        'somebody killed': (one) => one.severity === 'FATAL',
      })
      for await (const rows of tableRows(workbook, diagnostics)) {
        const accidents: Accident[] = []
        for (const read of rows) {
          try {
            const row = rowOf(read, diagnostics)
            presence.see(row)
            accidents.push(row)
          } catch (error) {
            if (!(error instanceof FormatError)) throw error
            diagnostics.reject(roadAccidents, error.message, `ID_ACCIDENTE ${read('ID_ACCIDENTE')} ANYO ${read('ANYO')}`)
          }
        }
        yield batch(roadAccidents, accidents)
      }
      presence.end()
    }
  },
})

/** The address of a year's table: no list exists. The last one or two years may not be published yet. */
function addressOf(year: number): string {
  const name = `TABLA_ACCIDENTES_${String(year).slice(2)}`
  if (year < FOLDER_24H.from) return `${DOWNLOADS}/${FOLDER}/Tabla-Accidentes-${year}.xlsx`
  if (year > FOLDER_24H.to) return `${DOWNLOADS}/${FOLDER}/${name}.XLSX`
  return `${DOWNLOADS}/${FOLDER_24H.path}/${name}.${year === FOLDER_24H.capitals ? 'XLSX' : 'xlsx'}`
}

/** A row's cells as text by column name; null if empty. */
type Read = (name: string) => string | null

/** The rows below the header of the first sheet that has it. */
async function* tableRows(workbook: Workbook, diagnostics: Diagnostics): AsyncGenerator<Read[]> {
  let closest: { sheet: string; missing: string[] } | null = null
  for (const sheet of workbook.sheets) {
    let places: ReadonlyMap<string, number> | null = null
    let above = 0
    for await (const rows of workbook.rows(sheet)) {
      const found: Read[] = []
      for (const cells of rows) {
        if (places) {
          const header = places
          found.push((name) => textOf(cells[header.get(name) ?? -1]) ?? (header.has(name) ? (lookUp(EMPTY, name) ?? null) : null))
          continue
        }
        const names = placesOf(cells)
        const missing = NEEDS.filter((name) => !names.has(name))
        if (missing.length === 0) {
          places = names
          countColumns(cells, names, diagnostics)
        } else if (missing.length < NEEDS.length && (!closest || missing.length < closest.missing.length)) closest = { sheet, missing }
        above += 1
      }
      if (found.length > 0) yield found
      if (!places && above > MOST_ABOVE) break
    }
    if (places) return
  }
  throw new FormatError(
    closest
      ? `the header of sheet ${closest.sheet} lacks ${closest.missing.join(', ').slice(0, 500)}`
      : `no sheet has the header of the table; there are ${workbook.sheets.join(', ').slice(0, 500)}`,
  )
}

/** The positions of a header's columns, by the publisher's usual names. */
function placesOf(cells: readonly Cell[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [at, cell] of cells.entries()) {
    const name = COLUMNS.fields[COLUMNS.fieldAt(textOf(cell) ?? '') ?? -1]
    if (name !== undefined && !found.has(name)) found.set(name, at)
  }
  return found
}

/** Counts the missing and the unknown columns of a header. */
function countColumns(cells: readonly Cell[], places: ReadonlyMap<string, number>, diagnostics: Diagnostics): void {
  for (const name of COLUMNS.fields) if (!places.has(name) && !OPTIONAL.has(name)) diagnostics.warn(`no column ${name}`)
  for (const cell of cells) {
    const name = textOf(cell)
    if (name !== null && COLUMNS.fieldAt(name) === undefined) diagnostics.unknownCode('dgt_accidents_column', name)
  }
}

function textOf(cell: Cell | undefined): string | null {
  if (cell === undefined || cell === null) return null
  return String(cell).trim() || null
}

function rowOf(read: Read, diagnostics: Diagnostics): Accident {
  const whole = (name: string): number | null => {
    const text = read(name)
    if (text === null) return null
    const value = wholeNumber(text) ?? Number.NaN
    if (!(value >= 0)) throw new FormatError(`${name} is no whole number`)
    return value
  }
  const needed = (name: string): number => {
    const value = whole(name)
    if (value === null) throw new FormatError(`no ${name}`)
    return value
  }
  const id = read('ID_ACCIDENTE')
  if (id === null) throw new FormatError('no ID_ACCIDENTE')
  const [year, month] = [needed('ANYO'), needed('MES')]
  if (month < 1 || month > 12) throw new FormatError('MES is no month')
  const province = String(needed('COD_PROVINCIA')).padStart(2, '0')
  const absent: Record<string, string> = {}
  const because = (column: string, reason: string | null): void => {
    if (reason !== null) absent[column] = reason
  }
  const find = (column: keyof typeof DGT_VARIABLES): CodedValue =>
    codedBy(DGT_VARIABLES[column], read(DGT_VARIABLES[column].variable), DGT_ABSENT)
  const code = (column: keyof typeof DGT_VARIABLES): string | null => {
    const found = find(column)
    because(column, found.reason)
    return found.code
  }
  const flag = (column: 'is_urban' | 'is_junction' | 'is_windy'): boolean | null => {
    const { variable } = DGT_VARIABLES[column]
    const unknown = (value: string): void => diagnostics.unknownCode(`dgt_${variable.toLowerCase()}`, value)
    const found = codedIf(DGT_VARIABLES[column], read(variable), { absent: DGT_ABSENT, unknown })
    because(column, found.reason)
    return found.is
  }
  const municipality = municipalityOf(read('COD_MUNICIPIO'), province, diagnostics)
  because('municipality_code', municipality.reason)
  const km = kmOf(read('KM'), diagnostics)
  because('km', km === null && read('KM') !== null ? 'NOT_SPECIFIED' : null)
  const isNoIsland = read(DGT_VARIABLES.island.variable) === NO_ISLAND
  const island = isNoIsland ? { code: null, reason: ISLANDS.has(province) ? 'NOT_SPECIFIED' : 'NOT_APPLICABLE' } : find('island')
  because('island', island.reason)
  const road = read('CARRETERA')
  const isNoRoad = road !== null && NO_ROAD.test(road)
  because('road', isNoRoad ? 'NOT_SPECIFIED' : null)
  const priority = priorityOf(read)
  because('priority_rules', priority.reason)
  const harm = { killed: needed('TOTAL_MU30DF'), hospitalised: needed('TOTAL_HG30DF'), slight: needed('TOTAL_HL30DF') }
  return accidentOf(
    {
      source: dgtAccidentFiles.id,
      edition: `dgt-${year}`,
      accident_id: id,
      year,
      month,
      weekday_iso: whole('DIA_SEMANA'),
      hour_local: whole('HORA'),
      province_code: province,
      municipality_code: municipality.code,
      island: island.code,
      zone: code('zone'),
      is_urban: flag('is_urban'),
      road: isNoRoad ? null : road,
      km,
      direction: code('direction'),
      crossing_road: read('CARRETERA_CRUCE'),
      road_owner: code('road_owner'),
      road_type: code('road_type'),
      accident_type: code('accident_type'),
      is_junction: flag('is_junction'),
      junction_type: code('junction_type'),
      alignment: code('alignment'),
      surface: code('surface'),
      light: code('light'),
      weather: code('weather'),
      fog: code('fog'),
      is_windy: flag('is_windy'),
      sight_limit: code('sight_limit'),
      sidewalk: code('sidewalk'),
      traffic_level: code('traffic_level'),
      priority_rules: priority.rules,
      killed_24h: whole('TOTAL_MU24H'),
      hospitalised_24h: whole('TOTAL_HG24H'),
      slight_24h: whole('TOTAL_HL24H'),
      killed_30d: harm.killed,
      hospitalised_30d: harm.hospitalised,
      slight_30d: harm.slight,
      vehicles: whole('TOTAL_VEHICULOS'),
      killed_by_user_24h: usersOf(whole, SPANS['24h']),
      killed_by_user_30d: usersOf(whole, SPANS['30d']),
    },
    { span: monthSpan(year, month, zoneOf(province)), harm, absent },
  )
}

/**
 * The five-digit code; spreadsheets drop its leading zeros. Zero stands for a municipality of fewer than 5,000 people, which
 * is not named.
 */
function municipalityOf(
  text: string | null,
  province: string,
  diagnostics: Diagnostics,
): { readonly code: string | null; readonly reason: string | null } {
  if (text === null) return { code: null, reason: 'NOT_SPECIFIED' }
  if (!/^\d{1,5}$/.test(text)) throw new FormatError('COD_MUNICIPIO is no code')
  if (Number(text) === 0) return { code: null, reason: 'ANONYMISED' }
  const code = text.padStart(5, '0')
  if (!code.startsWith(province)) diagnostics.warn('COD_MUNICIPIO and COD_PROVINCIA disagree')
  return { code, reason: null }
}

/** The priority rules that applied; empty, with a reason, if all are unknown. */
function priorityOf(read: Read): { readonly rules: readonly string[]; readonly reason: string | null } {
  const values = Object.entries(DGT_PRIORITY).map(([rule, variable]) => [rule, read(variable)] as const)
  const isUnknown = values.every(([, value]) => value === null || value === '999')
  return { rules: values.filter(([, value]) => value === '1').map(([rule]) => rule), reason: isUnknown ? 'NOT_SPECIFIED' : null }
}

/** Persons killed by means of transport, without zeros; null if nobody was killed. */
function usersOf(whole: (name: string) => number | null, span: string): Record<string, number> | null {
  const counts = Object.entries(DGT_USERS).map(([user, name]) => [user, whole(`TOT_${name}_${span}`) ?? 0] as const)
  const some = counts.filter(([, count]) => count > 0)
  return some.length > 0 ? Object.fromEntries(some) : null
}

/** Text with a decimal comma, or a number. */
function kmOf(text: string | null, diagnostics: Diagnostics): number | null {
  if (text === null) return null
  const km = eitherNumber(text)
  if (km !== null && km >= 0 && km <= 2000) return km
  diagnostics.warn('KM is no kilometre point: left out')
  return null
}
