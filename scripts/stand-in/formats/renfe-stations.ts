import { provinceByCode } from '../../../lake/places/provinces.ts'
import { chance } from '../random.ts'
import { readGazetteer } from '../world/municipalities.ts'
import type { RailNetwork } from '../world/rail-network.ts'
import type { RailStation } from '../world/rail-parts.ts'

const HEADER = 'CODIGO;DESCRIPCION;LATITUD;LONGITUD;DIRECION;CP;POBLACION;PROVINCIA;PAIS;CERCANIAS;FEVE;COMUN'
const COORDINATE_WIDTH = 10
const METRE_GAUGE = ['45', '46', '47']
const LOST = '\u001a'
const NBSP = '\u00a0'
/** Foreign stations as in the list: without postal code, province empty or unknown. */
const ABROAD = [
  ['87001', 'PERPIGNAN', 42.7, 2.88, '', 'FRANCIA'],
  ['87002', 'MARSEILLE', 43.3, 5.38, 'DESCONOCIDO', 'FRANCIA'],
  ['94001', 'PORTO', 41.15, -8.59, '', 'PORTUGAL'],
] as const

/** Content of the list. */
interface StationList {
  readonly network: RailNetwork
  readonly seed: number
  /** Number of the edition: in each one some addresses are spelt differently. */
  readonly edition: number
  /** Share of the stations that are included. */
  readonly share: number
  /** True if some stations are in an unknown country. */
  readonly hasUnknownCodes: boolean
}

/**
 * `estaciones.csv`: ISO 8859-1, LF, every field quoted, coordinates padded to 10 characters, some characters lost (0x1A), some
 * addresses ending in a non-breaking space. It has all long-distance stations and six in ten others, where regional trains may
 * stop.
 */
export function stationsCsv({ network, seed, edition, share, hasUnknownCodes }: StationList): Buffer {
  const metreGauge = new Set(
    network.nucleos
      .filter(({ code }) => METRE_GAUGE.includes(code))
      .flatMap(({ lines }) => lines.flatMap(({ stations }) => stations.map(({ code }) => code))),
  )
  const commuter = new Set(network.commuterStations.map(({ code }) => code))
  const longDistance = new Set(
    network.trains.filter(({ isRegional }) => !isRegional).flatMap(({ pattern }) => pattern.stops.map(({ station }) => station.code)),
  )
  const all = new Map([...network.longDistanceStations, ...network.commuterStations].map((station) => [station.code, station]))
  const listed = [...all.values()]
    .filter(({ code }) => longDistance.has(code) || chance(seed, 'listed', code) < 0.6)
    .sort((one, other) => (one.code < other.code ? -1 : 1))
  const lines = listed.map((station, nth) => {
    const [isCommuter, isMetreGauge] = [commuter.has(station.code), metreGauge.has(station.code)]
    const country = hasUnknownCodes && nth % 40 === 3 ? 'ANDORRA' : 'ESPAÑA'
    return line([
      ...placeFields(station, { seed, nth, isRewritten: nth % 60 === edition % 60 }),
      country,
      flag(isCommuter),
      flag(isMetreGauge),
      nth % 20 === 0 ? 'MADRI' : '',
    ])
  })
  const abroad = ABROAD.map(([code, name, lat, lon, province, country]) =>
    line([code, name, coordinate(lat), coordinate(lon), '', '', name, province, country, 'NO', 'NO', '']),
  )
  const text = [line(HEADER.split(';')), ...lines.slice(0, Math.floor(lines.length * share)), ...abroad].map((one) => `${one}\n`).join('')
  // Letters outside the encoding are lost too.
  return Buffer.from(text.replace(/[^\u0000-\u00ff]/g, LOST), 'latin1')
}

function placeFields(
  station: RailStation,
  about: { readonly seed: number; readonly nth: number; readonly isRewritten: boolean },
): string[] {
  const { code, name, lat, lon } = station
  const { seed, nth, isRewritten } = about
  const municipality = readGazetteer().at(lon, lat)
  const province = (municipality && provinceByCode(municipality.province)?.ine_name) ?? ''
  const dice = chance(seed, 'address', code)
  const address =
    dice < 0.012 ? `C/ la Estación  S/N ${LOST}${name}` : `Avda. Estación, ${nth % 3 === 0 ? 'S/N' : nth}${dice > 0.996 ? NBSP : ''}`
  // The first two are entries for tourists: no train runs there.
  const isLocated = nth >= 2
  return [
    code,
    name.toUpperCase(),
    isLocated ? coordinate(lat) : '',
    isLocated ? coordinate(lon) : '',
    isRewritten ? `${address} (Estación)` : address,
    municipality && nth % 80 !== 7 ? `${municipality.province}${String(100 + (nth % 800)).padStart(3, '0')}` : '',
    (municipality?.name ?? '').toUpperCase(),
    province.toUpperCase(),
  ]
}

const coordinate = (degrees: number): string => String(degrees).slice(0, COORDINATE_WIDTH).padEnd(COORDINATE_WIDTH)
const flag = (is: boolean): string => (is ? 'SI' : 'NO')
const line = (fields: readonly string[]): string => fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(';')
