import type { HourlyWeather } from '../world/weather.ts'
import type { WeatherStation } from '../world/weather-stations.ts'

/** An hour of a station. `end` in ms. */
export interface HourOfStation {
  readonly station: WeatherStation
  readonly end: number
  readonly weather: HourlyWeather
}

/** AEMET's spelling of provinces: without accents, with Ñ; two of them have two spellings. */
const PROVINCES: Readonly<Record<string, string>> = {
  ...{ '01': 'ARABA/ALAVA', '02': 'ALBACETE', '03': 'ALICANTE', '04': 'ALMERIA', '05': 'AVILA', '06': 'BADAJOZ', '07': 'ILLES BALEARS' },
  ...{ '08': 'BARCELONA', '09': 'BURGOS', '10': 'CACERES', '11': 'CADIZ', '12': 'CASTELLON', '13': 'CIUDAD REAL', '14': 'CORDOBA' },
  ...{ '15': 'A CORUÑA', '16': 'CUENCA', '17': 'GIRONA', '18': 'GRANADA', '19': 'GUADALAJARA', '20': 'GIPUZKOA', '21': 'HUELVA' },
  ...{ '22': 'HUESCA', '23': 'JAEN', '24': 'LEON', '25': 'LLEIDA', '26': 'LA RIOJA', '27': 'LUGO', '28': 'MADRID', '29': 'MALAGA' },
  ...{ '30': 'MURCIA', '31': 'NAVARRA', '32': 'OURENSE', '33': 'ASTURIAS', '34': 'PALENCIA', '35': 'LAS PALMAS', '36': 'PONTEVEDRA' },
  ...{ '37': 'SALAMANCA', '38': 'STA. CRUZ DE TENERIFE', '39': 'CANTABRIA', '40': 'SEGOVIA', '41': 'SEVILLA', '42': 'SORIA' },
  ...{ '43': 'TARRAGONA', '44': 'TERUEL', '45': 'TOLEDO', '46': 'VALENCIA', '47': 'VALLADOLID', '48': 'BIZKAIA', '49': 'ZAMORA' },
  ...{ '50': 'ZARAGOZA', '51': 'CEUTA', '52': 'MELILLA' },
}
const OTHER_SPELLINGS: Readonly<Record<string, string>> = { '07': 'BALEARES', '38': 'SANTA CRUZ DE TENERIFE' }

/**
 * Observations in AEMET's format: quantities that a station does not measure have no key. `isOldLayout` omits the UTC offset, as
 * in 2021.
 */
export function observationsJson(hours: readonly HourOfStation[], options: { isOldLayout: boolean; hasUnknownCodes: boolean }): Buffer {
  return listJson(
    hours.map(({ station, end, weather }) => {
      const { hasWind, hasPressure, isStaffed, hasWindRun, hasSnow, hasUltrasonic, altitude_m } = station
      const when = (is: boolean, value: number): string | undefined => (is ? double(value) : undefined)
      const pacutp = Math.round(weather.prec * 100) / 100
      // In the order of the recorded publication, which is the same in every record.
      return {
        idema: text(station.id),
        lon: String(station.lon),
        fint: text(`${new Date(end).toISOString().slice(0, 19)}${options.isOldLayout ? '' : '+0000'}`),
        prec: double(weather.prec),
        alt: double(altitude_m),
        vmax: when(hasWind, weather.vmax),
        vv: when(hasWind, weather.vv),
        dv: when(hasWind, weather.dv),
        lat: String(station.lat),
        dmax: when(hasWind, weather.dmax),
        ubi: text(station.name),
        pres: when(hasPressure, weather.pres),
        hr: double(weather.hr),
        stdvv: when(isStaffed, weather.stdvv),
        ts: when(isStaffed, weather.ts),
        pres_nmar: when(hasPressure && altitude_m <= 750, weather.pres_nmar),
        tamin: double(weather.tamin),
        ta: double(weather.ta),
        tamax: double(weather.tamax),
        tpr: when(hasPressure, weather.tpr),
        rviento: when(hasWindRun, weather.rviento),
        vis: when(isStaffed, weather.vis),
        stddv: when(isStaffed, weather.stddv),
        inso: when(isStaffed, weather.inso),
        vmaxu: when(hasUltrasonic, weather.vmax),
        dvu: when(hasUltrasonic, weather.dv),
        pacutp: when(isStaffed, pacutp),
        vvu: when(hasUltrasonic, weather.vv),
        stdvvu: when(hasUltrasonic, weather.stdvv),
        stddvu: when(hasUltrasonic, weather.stddv),
        dmaxu: when(hasUltrasonic, weather.dmax),
        geo850: when(hasPressure && altitude_m > 1000 && altitude_m <= 2300, 1457 + (weather.pres_nmar - 1013) * 8),
        geo925: when(hasPressure && altitude_m > 750 && altitude_m <= 1000, 762 + (weather.pres_nmar - 1013) * 8),
        nieve: when(hasSnow, weather.nieve),
        ...(options.hasUnknownCodes && { uvmax: double(3.5) }),
      }
    }),
  )
}

/** A day of a station: the hours of its UTC day, and those from 07 to 07 UTC, in order. */
export interface DayOfStation {
  readonly station: WeatherStation
  readonly day: string
  readonly hours: readonly HourlyWeather[]
  readonly rainHours: readonly HourlyWeather[]
}

/** Daily climatology in AEMET's format: every value is text with a decimal comma; `Ip` for traces, `Varias` for several times. */
export function dailyJson(days: readonly DayOfStation[], options: { hasUnknownCodes: boolean }): Buffer {
  return listJson(
    days.map(({ station, day, hours, rainHours }, at) => {
      const of = (pick: (hour: HourlyWeather) => number): number[] => hours.map(pick)
      const [low, high] = [Math.min(...of(({ tamin }) => tamin)), Math.max(...of(({ tamax }) => tamax))]
      const sum = rainHours.reduce((mm, { prec }) => mm + prec, 0)
      const gust = Math.max(...of(({ vmax }) => vmax))
      const gustHour = hours.findIndex(({ vmax }) => vmax === gust)
      const wind = (value: string): string | undefined => (station.hasWind ? text(value) : undefined)
      const pressure = (value: string): string | undefined => (station.hasPressure ? text(value) : undefined)
      const pressures = of(({ pres }) => pres)
      // A shower too small to measure leaves a trace.
      const isTrace = sum === 0 && rainHours.some(({ hr }) => hr > 90)
      return {
        fecha: text(day),
        indicativo: text(station.id),
        nombre: text(station.name.replace('  ', ' ')),
        provincia: text(provinceOf(station.municipality.province, at)),
        altitud: text(String(station.altitude_m)),
        tmed: text(comma((low + high) / 2)),
        prec: text(isTrace ? 'Ip' : comma(sum)),
        tmin: text(comma(low)),
        horatmin: text(timeOf(hours, ({ tamin }) => tamin === low)),
        tmax: text(comma(high)),
        horatmax: text(timeOf(hours, ({ tamax }) => tamax === high)),
        dir: wind(String(Math.round((hours[gustHour]?.dmax ?? 0) / 10)).padStart(2, '0')),
        velmedia: wind(comma(of(({ vv }) => vv).reduce((total, vv) => total + vv, 0) / hours.length)),
        racha: wind(comma(gust)),
        horaracha: wind(timeOf(hours, ({ vmax }) => vmax === gust)),
        presMax: pressure(comma(Math.max(...pressures))),
        horaPresMax: pressure(hourOf(pressures, Math.max(...pressures))),
        presMin: pressure(comma(Math.min(...pressures))),
        horaPresMin: pressure(hourOf(pressures, Math.min(...pressures))),
        ...(options.hasUnknownCodes && { uvmax: text('3,5') }),
      }
    }),
  )
}

/** The time of the matching hour, to ten minutes; `Varias` if several hours match. */
function timeOf(hours: readonly HourlyWeather[], isIt: (hour: HourlyWeather) => boolean): string {
  const at = hours.findIndex(isIt)
  if (hours.filter(isIt).length > 1) return 'Varias'
  return `${String(at).padStart(2, '0')}:${(at * 7) % 6}0`
}

function hourOf(values: readonly number[], value: number): string {
  if (values.filter((one) => one === value).length > 1) return 'Varias'
  return String(values.indexOf(value) + 1).padStart(2, '0')
}

const comma = (value: number): string => value.toFixed(1).replace('-0.0', '0.0').replace('.', ',')

/** The first step's answer without a document; the HTTP status is still 200. */
export function noDataJson(): Buffer {
  const members = { descripcion: text('No hay datos que satisfagan esos criterios'), estado: '404' }
  return Buffer.from(`{\n${membersOf(members)}\n}`, 'latin1')
}

/** The first step's answer: the temporary URLs of the document and of its metadata. */
export function slipJson(datos: string, metadatos: string): Buffer {
  const members = { descripcion: text('exito'), estado: '200', datos: text(datos), metadatos: text(metadatos) }
  return Buffer.from(`{\n${membersOf(members)}\n}`, 'latin1')
}

function provinceOf(code: string, at: number): string {
  return (at % 7 === 0 && OTHER_SPELLINGS[code]) || (PROVINCES[code] as string)
}

type Members = Readonly<Record<string, string | undefined>>

/** A list as the publisher's server prints it; ISO 8859-15, whose letters equal those of Latin-1 here. */
function listJson(records: readonly Members[]): Buffer {
  return Buffer.from(`[ ${records.map((members) => `{\n${membersOf(members)}\n}`).join(', ')} ]`, 'latin1')
}

function membersOf(members: Members): string {
  return Object.entries(members)
    .flatMap(([key, value]) => (value === undefined ? [] : [`  "${key}" : ${value}`]))
    .join(',\n')
}

const text = (value: string): string => JSON.stringify(value)

/** A number as Java prints a double: 5.0, including rounding noise. */
function double(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value)
}
