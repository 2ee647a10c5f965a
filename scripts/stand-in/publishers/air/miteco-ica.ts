import { defineStandIn } from '../../define.ts'
import { icaCsv } from '../../formats/air-csv.ts'
import { everyPeriod, keptOf } from '../../publisher.ts'
import { airStations } from '../../world/air-stations.ts'

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
    // ica-ultima-hora_20260902T2100Z.csv is of that hour, and was fetched at about 22:50.
    capturedAt(file) {
      const [, year, month, day, hour] = /^ica-ultima-hora_(\d{4})(\d\d)(\d\d)T(\d\d)00Z\.csv$/.exec(file) ?? []
      return year === undefined ? null : Date.parse(`${year}-${month}-${day}T${hour}:50:00Z`) + HOUR
    },
  },
})
