import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityOvernightStays } from '../../../lake/datasets/mobility/trips.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { readPiped } from '../../formats/piped.ts'
import { batch, defineFeed, FormatError } from '../define.ts'
import { dailyFiles, V2_INDEX } from './mitma-files.ts'

type Stay = FeedRow<typeof mobilityOvernightStays>

const COLUMNS = ['fecha', 'zona_residencia', 'zona_pernoctacion', 'personas']
const FOLDER = '/estudios_basicos/por-municipios/pernoctaciones/ficheros-diarios/'
const DAY = /^(\d{4})(\d{2})(\d{2})$/
const PERIOD = /^\d{4}-\d{2}-\d{2}$/

/** Overnight stays by municipality, a file a day, published months later: some 500,000 rows each. */
export const mitmaOvernightStays = defineFeed({
  id: 'mitma_overnight_stays',
  source: mitma,
  into: [mobilityOvernightStays],
  every_s: 7 * 86_400,
  get: {
    name: 'day',
    url: `https://movilidad-opendata.mitma.es${FOLDER}2022-01/20220101_Pernoctaciones_municipios.csv.gz`,
    accept: 'application/gzip, text/csv',
    maxBytes: 64_000_000,
    maxDecodedBytes: 512_000_000,
    timeout_ms: 300_000,
    expects: 'csv',
    packed: 'gzip',
  },
  archive: {
    unit: 'day',
    index: [V2_INDEX],
    files: (index) => dailyFiles(index, { name: /^(\d{8})_Pernoctaciones_municipios\.csv\.gz$/, folder: FOLDER }),
    recent: 2,
  },
  freshBy: 'fetch',
  bands: { mobility_overnight_stays: { atLeast: 500, minRatio: 0.8, maxRatio: 1.25 } },
  *rows(bodies, _clock, diagnostics) {
    for (const { name, bytes } of bodies) {
      const { header, batches } = readPiped(bytes, COLUMNS)
      for (const column of header) if (!COLUMNS.includes(column)) diagnostics.unknownCode('mitma_column', column)
      // A file has one day: the requested one, else that of its first line.
      let day = PERIOD.test(name) ? dayOf(name.replaceAll('-', '')) : null
      for (const lines of batches) {
        const stays: Stay[] = []
        for (const { text, fields } of lines) {
          const [fecha = '', residence_zone = '', overnight_zone = '', personas = ''] = fields ?? []
          day ??= dayOf(fecha)
          if (fields === null) diagnostics.reject(mobilityOvernightStays, 'another number of fields', text)
          else if (fecha !== day.fecha) diagnostics.reject(mobilityOvernightStays, 'a day other than the file', text)
          else
            stays.push({
              study: 'V2',
              study_day: day.study_day,
              local_date: day.local_date,
              day_starts_at: day.starts_at,
              overnight_level: 'MUNICIPALITY',
              overnight_zone,
              residence_level: 'DISTRICT',
              residence_zone,
              // NA, the publisher's text for "none", is not a number of persons.
              persons: pointNumber(personas) ?? Number.NaN,
            })
        }
        yield batch(mobilityOvernightStays, stays)
      }
    }
  },
})

function dayOf(fecha: string): { fecha: string; local_date: string; study_day: string; starts_at: number } {
  const [, year, month, day] = DAY.exec(fecha) ?? []
  const local_date = `${year}-${month}-${day}`
  if (day === undefined || Number.isNaN(Date.parse(local_date))) throw new FormatError(`fecha ${JSON.stringify(fecha)} is no day`)
  return { fecha, local_date, study_day: `V2-${local_date}`, starts_at: dayBounds(local_date).start }
}
