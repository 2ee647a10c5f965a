import { FUEL_COLUMNS, type FuelColumn, priceDay, priceText } from '../world/fuel-prices.ts'
import { localText } from '../world/rhythm.ts'
import type { Station } from '../world/stations.ts'

const NOTE =
  'Archivo de todos los productos en todas las estaciones de servicio. La actualización de precios se realiza cada media hora, con los precios en vigor en ese momento.'

/** The ministry's answer: one line of JSON, every value text, slashes escaped, no line end. `stations` are their JSON texts. */
export function ministryJson(stations: readonly string[], publishedAt: number): string {
  return `{"Fecha":${quoted(ministryStamp(publishedAt))},"ListaEESSPrecio":[${stations.join(',')}],"Nota":${quoted(NOTE)},"ResultadoConsulta":"OK"}`
}

/** Its answer for an unknown province. */
export function ministryRefusal(publishedAt: number): string {
  return `{"Fecha":${quoted(ministryStamp(publishedAt))},"ListaEESSPrecio":[],"Nota":${quoted(NOTE)},"ResultadoConsulta":"Datos no encontrados"}`
}

/** Writes stations' JSON texts, and caches each until the station's prices change. */
export function stationWriter(seed: number): (station: Station, instant: number) => string {
  const kept = new Map<number, { day: number; text: string }>()
  return (station, instant) => {
    const day = priceDay(seed, station, instant)
    const known = kept.get(station.index)
    if (known?.day === day) return known.text
    const text = stationJson(station, (column) => priceText(seed, station, column, day))
    kept.set(station.index, { day, text })
    return text
  }
}

/** Prices consist of digits and a comma, and so need no escapes. */
const COLUMNS = FUEL_COLUMNS.map((column) => ({ column, name: `,${quoted(column.field)}:"` }))

/** One station, its 41 fields in the order of 2025. */
function stationJson(station: Station, price: (column: FuelColumn) => string): string {
  let prices = ''
  for (const { column, name } of COLUMNS) prices += `${name}${price(column)}"`
  const place = members([
    ['C.P.', station.postalCode],
    ['Dirección', station.address],
    ['Horario', station.hours],
    ['Latitud', coordinate(station.lat)],
    ['Localidad', station.locality],
    ['Longitud (WGS84)', coordinate(station.lon)],
    ['Margen', station.side],
    ['Municipio', station.municipalityName],
  ])
  const rest = members([
    ['Provincia', station.provinceName],
    ['Remisión', station.reporter],
    ['Rótulo', station.sign],
    ['Tipo Venta', station.isRestricted ? 'R' : 'P'],
    ['% BioEtanol', '0,0'],
    ['% Éster metílico', station.ester],
    ['IDEESS', String(station.id)],
    ['IDMunicipio', String(station.municipalityId)],
    ['IDProvincia', station.municipality.province],
    ['IDCCAA', station.communityId],
  ])
  return `{${place}${prices},${rest}}`
}

/** Members of an object in the ministry's format. */
function members(fields: readonly (readonly [string, string])[]): string {
  return fields.map(([name, value]) => `${quoted(name)}:${quoted(value)}`).join(',')
}

function coordinate(value: number): string {
  return value.toFixed(6).replace('.', ',')
}

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('/', '\\/')
}

/** dd/MM/yyyy H:mm:ss by Madrid's clock: the hour has no leading zero. */
export function ministryStamp(instant: number): string {
  return localText(instant, 'DD/MM/YYYY h:mm:ss')
}
