import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficSensorEditions } from '../../../lake/datasets/road/traffic-sensor-editions.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { batch, defineFeed } from '../define.ts'
import { MADRID_PLACE } from './madrid-places.ts'
import { pointsOfCsv, pointsOfWorkbook, readPoints } from './madrid-points.ts'
import { monthlyFiles, portalList } from './madrid-portal.ts'

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/
/**
 * The dataset's files in the portal's list: CSV, or a workbook (`…-intensidad-trafico-xlsx.xlsx`); the shapefile version (zip)
 * is not used.
 */
const EDITION = /\/202468-\d+-intensidad-trafico[^/]*\.(?:csv|xlsx)$/i
/** A workbook of 2024 has 1.7 MB. */
const MOST_BYTES = 16_000_000

/**
 * Past editions of Madrid's catalogue of measuring points: about one file a month, as CSV or workbook, numbered arbitrarily in
 * the portal's list. A file has no date: its month comes from the list.
 */
export const madridSensorEditions = defineFeed({
  id: 'madrid_sensor_editions',
  source: madrid,
  into: [trafficSensorEditions],
  every_s: 7 * 86_400,
  get: {
    name: 'edition',
    url: 'https://datos.madrid.es/egob/catalogo/202468-156-intensidad-trafico-xlsx.xlsx',
    accept: 'text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    maxBytes: MOST_BYTES,
    expects: 'csv',
  },
  archive: {
    unit: 'month',
    index: [portalList('202468-0-intensidad-trafico')],
    // The last of several files of a month counts, and CSV goes before a workbook.
    files: (index) => monthlyFiles(index, EDITION).sort((one, other) => Number(isCsv(one.url)) - Number(isCsv(other.url))),
    recent: 2,
  },
  freshBy: 'fetch',
  bands: { traffic_sensor_editions: { atLeast: 1000, minRatio: 0.9, maxRatio: 1.1 } },
  async *rows(bodies, { fetched_at }, diagnostics) {
    const target = { into: trafficSensorEditions, diagnostics }
    for (const { name, bytes } of bodies) {
      // A file loaded for a trial has no month: it counts as today's catalogue.
      const edition = MONTH.test(name) ? name : madridDate(fetched_at).slice(0, 7)
      const isWorkbook = bytes.subarray(0, 2).toString('latin1') === 'PK'
      const points = readPoints(isWorkbook ? await pointsOfWorkbook(bytes) : pointsOfCsv(bytes, target), target)
      const valid_from = dayBounds(`${edition}-01`).start
      yield batch(
        trafficSensorEditions,
        points.map((point) => ({ source: MADRID_PLACE.source, edition, valid_from, ...point })),
      )
    }
  },
})

const isCsv = (url: string): boolean => /\.csv$/i.test(url)
