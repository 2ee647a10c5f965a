import { renfe } from '../../../lake/datasets/rail/sources.ts'
import { railStationRegister } from '../../../lake/datasets/rail/station-register.ts'
import { resolvePlace } from '../../../lake/places/resolve.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { type CsvTable, readCsv } from '../../formats/csv.ts'
import { commaNumber, pointNumber } from '../../formats/numbers.ts'
import { statedPosition } from '../../formats/positions.ts'
import { decodeText } from '../../formats/text.ts'
import { batch, type Diagnostics, defineFeed, FormatError, lookUp } from '../define.ts'
import { watchPresence } from '../presence.ts'

type Station = FeedRow<typeof railStationRegister>

/** Columns of every edition; `SPELLINGS` has those that editions spell differently or lack. */
const REQUIRED = ['DESCRIPCION', 'LATITUD', 'LONGITUD', 'POBLACION', 'PROVINCIA']
const SPELLINGS = { code: ['CODIGO', 'CÓDIGO'], address: ['DIRECION', 'DIRECCIÓN'], postcode: ['CP', 'C.P.'] } as const
const COUNTRIES: Readonly<Record<string, string>> = { ESPAÑA: 'ES', FRANCIA: 'FR', PORTUGAL: 'PT' }
const FLAGS: Readonly<Record<string, boolean>> = { SI: true, NO: false }
/** The placeholder for an unknown province. */
const NO_PROVINCE = 'DESCONOCIDO'
/** The publisher's replacement for a lost character; the original is unknown (`30 D?octubre`, `14 ? 16`). */
const LOST = /\u001a/g
const NBSP = /\u00a0/g

/** Renfe's list of stations. It has no date and stays the same for weeks. */
export const renfeEstaciones = defineFeed({
  id: 'renfe_estaciones',
  source: renfe,
  into: [railStationRegister],
  every_s: 86_400,
  get: { name: 'stations', url: 'https://ssl.renfe.com/ftransit/Fichero_estaciones/estaciones.csv', maxBytes: 8_000_000, expects: 'csv' },
  freshBy: 'fetch',
  bands: { rail_station_register: { atLeast: 100, minRatio: 0.9, maxRatio: 1000 } },
  *rows(bodies, _clock, diagnostics) {
    for (const body of bodies) {
      const text = decodeText(body.bytes)
      const table = readCsv(text, { delimiter: ';', requires: REQUIRED, lenient: true, endsLines: true })
      for (const { line, text } of table.misshapen)
        diagnostics.reject(railStationRegister, 'another number of fields', `line ${line}: ${text}`)
      count(text, LOST, () => diagnostics.warn('a lost character (0x1A), for which U+FFFD stands'))
      count(text, NBSP, () => diagnostics.warn('a non-breaking space, taken for a blank'))
      yield batch(railStationRegister, readRecords(table, diagnostics))
    }
  },
})

function count(text: string, pattern: RegExp, onMatch: () => void): void {
  for (const _ of text.matchAll(pattern)) onMatch()
}

/** Where the columns are; -1 for one that the edition lacks. */
function columnsOf(table: CsvTable): Readonly<Record<keyof typeof SPELLINGS | (typeof OPTIONAL)[number], number>> {
  const found = Object.entries(SPELLINGS).map(([name, spellings]) => [name, Math.max(...spellings.map((one) => table.at(one)))] as const)
  const missing = found.filter(([, at]) => at < 0).map(([name]) => SPELLINGS[name as keyof typeof SPELLINGS].join(' or '))
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${table.header.join(', ').slice(0, 500)}`)
  return Object.fromEntries([...found, ...OPTIONAL.map((name) => [name, table.at(name)])])
}

const OPTIONAL = ['PAIS', 'CERCANIAS', 'FEVE', 'COMUN'] as const

function readRecords(table: CsvTable, diagnostics: Diagnostics): Station[] {
  const at = columnsOf(table)
  const [name, latitude, longitude, municipality, province] = REQUIRED.map((column) => table.at(column)) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const number = notationOf(table, latitude)
  const presence = watchPresence<Station>('stations', {
    'an address': (station) => station.address !== null,
    'a POBLACION': (station) => station.municipality !== null,
    'a province that is known': (station) => station.province_code !== null,
    'a position': (station) => station.position !== null,
    'a postal code': (station) => station.postal_code !== null,
    ...(at.PAIS >= 0 && { 'a PAIS': (station: Station) => station.country !== null }),
    ...(at.CERCANIAS >= 0 && { 'a CERCANIAS': (station: Station) => station.is_commuter !== null }),
    ...(at.FEVE >= 0 && { 'a FEVE': (station: Station) => station.is_metre_gauge !== null }),
  })
  const stations: Station[] = []
  for (const record of table.records) {
    const text = (column: number): string | null => record[column]?.replace(LOST, '\ufffd').replace(NBSP, ' ').trim() || null
    const stop_id = codeOf(text(at.code))
    const published = text(name)
    if (stop_id === null || published === null) {
      diagnostics.reject(railStationRegister, stop_id === null ? 'the code is not five digits' : 'no name', record.join(';'))
      continue
    }
    const country = text(at.PAIS)?.toUpperCase() ?? null
    const position = positionOf(number(text(latitude)), number(text(longitude)))
    const named = text(province)
    const station: Station = {
      source: renfe.id,
      stop_id,
      name: published,
      address: text(at.address),
      postal_code: null,
      municipality: text(municipality),
      municipality_code: null,
      province: named?.toUpperCase() === NO_PROVINCE ? null : named,
      province_code: null,
      country: country && (lookUp(COUNTRIES, country) ?? country),
      position: null,
      is_commuter: flagOf(text(at.CERCANIAS), { column: 'CERCANIAS', diagnostics }),
      is_metre_gauge: flagOf(text(at.FEVE), { column: 'FEVE', diagnostics }),
      city_group: text(at.COMUN),
    }
    const isSpanish = station.country === null || station.country === 'ES'
    station.postal_code = isSpanish ? spanishPostcode(text(at.postcode), diagnostics) : text(at.postcode)
    if (isSpanish) placeInSpain(station, position, diagnostics)
    else station.position = abroad(position, diagnostics)
    presence.see(station)
    stations.push(station)
  }
  presence.end()
  return stations
}

/** Detects a file's decimal mark from most of its coordinates. Values in another notation are NaN, empty ones null. */
function notationOf(table: CsvTable, latitude: number): (text: string | null) => number | null {
  const withMark = (mark: string): number => table.records.filter((record) => record[latitude]?.includes(mark)).length
  const read = withMark(',') > withMark('.') ? commaNumber : pointNumber
  return (text) => (text === null ? null : (read(text) ?? Number.NaN))
}

function positionOf(lat: number | null, lon: number | null): Point | null {
  return lat === null && lon === null ? null : { lat: lat ?? Number.NaN, lon: lon ?? Number.NaN }
}

/** Codes and position of a station in Spain, each checked against the other. */
function placeInSpain(station: Station, position: Point | null, diagnostics: Diagnostics): void {
  const { province, municipality } = station
  const place = resolvePlace({ province, municipality, position }, (problem) => diagnostics.warn(`place of a station: ${problem}`))
  station.province_code = place.province_code
  station.municipality_code = place.municipality_code
  station.position = place.position
}

/** A position abroad, where only its form can be checked. */
function abroad(position: Point | null, diagnostics: Diagnostics): Point | null {
  return statedPosition(position, 'a station abroad', diagnostics.warn)
}

/** Five digits; lists that passed through a spreadsheet lost leading zeros. */
function codeOf(text: string | null): string | null {
  return text !== null && /^\d{1,5}$/.test(text) ? text.padStart(5, '0') : null
}

function spanishPostcode(text: string | null, diagnostics: Diagnostics): string | null {
  if (text === null || /^\d{5}$/.test(text)) return text
  const isShort = /^\d{4}$/.test(text)
  diagnostics.warn(isShort ? 'a postal code without its leading zero' : 'an invalid postal code: left out')
  return isShort ? `0${text}` : null
}

function flagOf(
  text: string | null,
  { column, diagnostics }: { readonly column: string; readonly diagnostics: Diagnostics },
): boolean | null {
  if (text === null) return null
  const flag = lookUp(FLAGS, text.toUpperCase())
  if (flag === undefined) diagnostics.unknownCode(column, text)
  return flag ?? null
}
