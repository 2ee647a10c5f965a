import { instantOf } from '../../../../lake/schema/time.ts'
import { capturesNamed, defineStandIn } from '../../define.ts'
import { barcelonaAirCsv, icaCsv, madridAirCsv } from '../../formats/air-csv.ts'
import { everyPeriod, keptOf } from '../../publisher.ts'
import { airStations, stationsOfCity } from '../../world/air-stations.ts'

const HOUR = 3_600_000

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

const MINUTE = 60_000
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
