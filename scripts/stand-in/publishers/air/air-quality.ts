import type { AirPollutant } from '../../../../lake/datasets/air/codes.ts'
import { INDEX_POLLUTANTS, LEVELS, nationalIndex } from '../../../../lake/datasets/air/national-index.ts'
import { instantOf, madridDate } from '../../../../lake/schema/time.ts'
import { capturesNamed, defineStandIn } from '../../define.ts'
import { everyPeriod, keptOf } from '../../publisher.ts'
import { hash } from '../../random.ts'
import { type AirStation, airStations, concentrationOf, isInvalid, stationsOfCity } from '../../world/air-stations.ts'

const HOUR = 3_600_000
const MINUTE = 60_000

/** The input of documents. Instants in ms. */
interface AirDocument {
  readonly stations: readonly AirStation[]
  readonly seed: number
  readonly hasUnknownCodes: boolean
}

/** The ministry's file of the national index for an hour. */
function icaCsv({ stations, seed, hour, hasUnknownCodes }: AirDocument & { readonly hour: number }): string {
  const lines = stations.map((station, nth) => {
    const { id, name, lat, lon, isActive } = station
    const type = hasUnknownCodes && nth % 40 === 3 ? 'RURAL' : station.type
    const place = [lat, lon].map((degrees) => degrees.toFixed(5))
    // The file omits the leading zero.
    return [String(Number(id)), name.replaceAll(',', ''), type, ...place, isActive, isoHour(hour), ...indexOf(station, seed, hour)].join()
  })
  return ['cod_estacion,nombre,tipo,latitud,longitud,activa,fecha,indice,debido_a', ...lines, ''].join('\n')
}

const isoHour = (instant: number): string => new Date(instant).toISOString().slice(0, 19)

/**
 * Category and pollutant, mostly by the official scale. One in fifty is a level worse, one in five has fewer pollutants, and some
 * have none.
 */
function indexOf(station: AirStation, seed: number, hour: number): readonly [string, string] {
  const draw = hash(seed, 'air index', station.id, hour / HOUR)
  if (!station.isActive || draw % 23 === 0) return draw % 3 === 0 ? ['0', ''] : ['', '']
  const hours = INDEX_POLLUTANTS.filter((pollutant) => station.measures.includes(pollutant)).map((pollutant) => {
    const begins = Array.from({ length: 24 }, (_, back) => hour - (back + 1) * HOUR)
    const valid = begins.filter((begin) => !isInvalid(seed, station, pollutant, begin))
    return [pollutant, new Map(valid.map((begin) => [begin, concentrationOf(seed, station, pollutant, begin)]))] as const
  })
  const found = nationalIndex(new Map(hours), hour)
  if (!found) return ['', '']
  const category = Math.min(6, LEVELS.indexOf(found.level) + 1 + (draw % 50 === 7 ? 1 : 0))
  const isPartial = found.is_partial || draw % 5 === 0
  return [String(isPartial ? 10 * category : category), (found.pollutants[0] as string).replace('_', '.')]
}

/** National numbers of pollutants, and of Madrid's measuring techniques. */
const NUMBERS: Readonly<Partial<Record<AirPollutant, readonly [magnitude: number, technique: number]>>> = {
  SO2: [1, 38],
  CO: [6, 48],
  NO: [7, 8],
  NO2: [8, 8],
  PM2_5: [9, 47],
  PM10: [10, 47],
  NOX: [12, 8],
  O3: [14, 6],
}

const HEADER = Array.from({ length: 24 }, (_, at) => String(at + 1).padStart(2, '0')).flatMap((hour) => [`H${hour}`, `V${hour}`])
/** Delay between the end of an hour and its publication, ms. */
const LATE = 10 * MINUTE

/** The hours of a day as value and flag, if they have ended and been published by an instant; the others have `none`. */
function hoursOf(of: {
  readonly station: AirStation
  readonly pollutant: AirPollutant
  readonly day: string
  readonly seed: number
  readonly until: number
  readonly none: string
  readonly invalid: (value: number) => string
}): readonly (readonly [string, 'V' | 'N'])[] {
  const { station, pollutant, day, seed, until, none, invalid } = of
  return Array.from({ length: 24 }, (_, hour) => {
    const begins = instantOf(day, `${String(hour).padStart(2, '0')}:00`)
    if (begins + HOUR + LATE > until) return [none, 'N']
    const value = concentrationOf(seed, station, pollutant, begins)
    return isInvalid(seed, station, pollutant, begins) ? [invalid(value), 'N'] : [String(value), 'V']
  })
}

/** The newest day with an hour that was published by an instant. */
function newestDay(at: number): string {
  return madridDate(at - HOUR - LATE)
}

/**
 * Madrid's file of the current day; `isPadded` selects the format until 2019, without byte order mark and with five-digit
 * numbers.
 */
function madridAirCsv(document: AirDocument & { readonly at: number; readonly isPadded: boolean }): string {
  const { stations, seed, at, isPadded, hasUnknownCodes } = document
  const day = newestDay(at)
  const [year, month, date] = day.split('-').map((part) => (isPadded ? part : String(Number(part))))
  const written = (text: string): string => (isPadded ? text.padStart(5, '0') : text)
  const lines = stations.flatMap((station) =>
    station.measures.map((pollutant) => {
      const [magnitude, technique] = NUMBERS[pollutant] as readonly [number, number]
      const shown = hasUnknownCodes && pollutant === 'SO2' ? 99 : magnitude
      const point = `${station.id}_${magnitude}_${technique}`
      const place = [28, isPadded ? '079' : 79, Number(station.id.slice(5)), shown, point, year, month, date]
      const hours = hoursOf({ station, pollutant, day, seed, until: at, none: '0', invalid: String })
      return [...place, ...hours.flatMap(([value, flag]) => [written(value), flag])].join(';')
    }),
  )
  const header = ['PROVINCIA', 'MUNICIPIO', 'ESTACION', 'MAGNITUD', 'PUNTO_MUESTREO', 'ANO', 'MES', 'DIA', ...HEADER].join(';')
  return `${isPadded ? '' : '\ufeff'}${[header, ...lines, ''].join('\n')}`
}

/** Barcelona's file of the last three days; one line of a station is about the weather. */
function barcelonaAirCsv({ stations, seed, at, hasUnknownCodes }: AirDocument & { readonly at: number }): string {
  const days = [2, 1, 0].map((back) => madridDate(at - HOUR - LATE, -back))
  const lines = stations.flatMap((station) =>
    station.measures.flatMap((pollutant, nth) =>
      days.map((day) => {
        const [magnitude] = NUMBERS[pollutant] as readonly [number, number]
        const shown = nth > 0 ? magnitude : hasUnknownCodes ? 321 : 101
        const hours = hoursOf({ station, pollutant, day, seed, until: at, none: 'NA', invalid: () => 'NA' })
        const place = [8, '"Barcelona"', 19, '"Barcelona"', Number(station.id.slice(5)), shown, ...day.split('-').map(Number)]
        return [...place, ...hours.flatMap(([value, flag]) => [value, `"${flag}"`])].join()
      }),
    ),
  )
  const names = ['CODI_PROVINCIA', 'PROVINCIA', 'CODI_MUNICIPI', 'MUNICIPI', 'ESTACIO', 'CODI_CONTAMINANT', 'ANY', 'MES', 'DIA']
  return [[...names, ...HEADER].map((name) => `"${name}"`).join(), ...lines, ''].join('\n')
}

/** The ministry's national air quality index. */
export const mitecoIca = defineStandIn('miteco_ica', {
  // The file of an hour is published 50 minutes after its end.
  publishedAt: everyPeriod(HOUR, 50 * 60),
  validators: 'modified',
  write(world, { stampedAt, variant }) {
    const hour = Math.floor(stampedAt / HOUR) * HOUR - HOUR
    const stations = keptOf(world.part(airStations), variant)
    return icaCsv({ stations, seed: world.seed, hour, hasUnknownCodes: variant.hasUnknownCodes })
  },
  captures: {
    folder: 'miteco-ica',
    // ica-ultima-hora_20260902T2100Z.csv covers that hour, and was fetched at about 22:50.
    capturedAt: capturesNamed(/^ica-ultima-hora_(\d{4})(\d\d)(\d\d)T(\d\d)00Z\.csv$/, '$1-$2-$3T$4:50-01:00'),
  },
})

const common = { contentType: 'text/csv', validators: 'modified' } as const

/** Ayuntamiento de Madrid: the hours of the day at its stations. */
export const madridAir = defineStandIn('madrid_air', {
  ...common,
  // 15, 35 and 55 minutes past each hour.
  publishedAt: everyPeriod(20 * MINUTE, 15 * 60),
  hasOldLayout: true,
  write(world, { stampedAt, variant }) {
    const stations = keptOf(stationsOfCity(world.part(airStations), '28079'), variant)
    const { hasUnknownCodes, isOldLayout } = variant
    return madridAirCsv({ stations, seed: world.seed, at: stampedAt, isPadded: isOldLayout, hasUnknownCodes })
  },
  captures: {
    folder: 'air-quality',
    // Both files lack the last hours of their day, which shows when they were fetched.
    capturedAt(file) {
      const [, day] = /^madrid-horario_(\d{4}-\d\d-\d\d)\.csv$/.exec(file) ?? []
      if (day === undefined) return null
      return instantOf(day, day === '2019-03-07' ? '23:15' : '17:15')
    },
  },
})

/** Ajuntament de Barcelona: the hours of the last three days at its stations. */
export const barcelonaAir = defineStandIn('barcelona_air', {
  ...common,
  publishedAt: everyPeriod(60 * MINUTE, 20 * 60),
  write(world, { stampedAt, variant }) {
    const stations = keptOf(stationsOfCity(world.part(airStations), '08019'), variant)
    return barcelonaAirCsv({ stations, seed: world.seed, at: stampedAt, hasUnknownCodes: variant.hasUnknownCodes })
  },
  captures: {
    folder: 'barcelona-aire',
    // 2025_08_Agost_qualitat_aire_BCN.csv: a complete month.
    capturedAt(file) {
      const [, year, month] = /^(\d{4})_(\d\d)_\p{L}+_qualitat_aire_BCN\.csv$/u.exec(file) ?? []
      return year === undefined ? null : Date.UTC(Number(year), Number(month), 1)
    },
  },
})
