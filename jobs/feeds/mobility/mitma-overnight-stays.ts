import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityOvernightStays } from '../../../lake/datasets/mobility/trips.ts'
import { castTo, type Sql, sql } from '../../../lake/query/sql.ts'
import { dayBounds, isoInstant } from '../../../lake/schema/time.ts'
import { type BulkFile, FormatError } from '../define.ts'
import { bulkFeed } from '../kit/bulk-feed.ts'
import { dailyFiles, V2_INDEX } from './mitma-files.ts'

const COLUMNS = ['fecha', 'zona_residencia', 'zona_pernoctacion', 'personas']
const FOLDER = '/estudios_basicos/por-municipios/pernoctaciones/ficheros-diarios/'

/** Overnight stays by municipality, a file a day, published months later: some 500,000 rows each. */
export const mitmaOvernightStays = bulkFeed({
  id: 'mitma_overnight_stays',
  source: mitma,
  into: mobilityOvernightStays,
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
  bulk: {
    query: staysOfFile,
    derivedColumns: dayColumns,
    unknownColumns: { list: 'mitma_column', of: (header) => header.split('|').filter((name) => !COLUMNS.includes(name)) },
    endsLines: true,
  },
  freshBy: 'fetch',
  bands: { mobility_overnight_stays: { atLeast: 500, minRatio: 0.8, maxRatio: 1.25 } },
})

function staysOfFile({ path, header, period }: BulkFile): Sql {
  const missing = COLUMNS.filter((name) => !header.split('|').includes(name))
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${header.slice(0, 500)}`)
  const day = period.replaceAll('-', '')
  return sql`
    SELECT overnight_zone, residence_zone,
      CASE WHEN count(*) = 1 THEN any_value(persons) ELSE error('zones come twice: ' || overnight_zone || ', ' || residence_zone) END AS persons
    FROM (
      SELECT zona_pernoctacion AS overnight_zone, ${castTo(mobilityOvernightStays.columns.persons, sql`personas`)} AS persons,
        CASE WHEN fecha = ${day} THEN zona_residencia ELSE error('a day other than the file: ' || fecha) END AS residence_zone
      FROM read_csv(${path}, delim = '|', header = true, quote = '', escape = '', all_varchar = true, strict_mode = true)
    )
    GROUP BY overnight_zone, residence_zone`
}

/** The constant columns of a day. */
function dayColumns({ period }: BulkFile): Readonly<Record<string, Sql>> {
  return {
    study: sql`'V2'`,
    study_day: sql`${`V2-${period}`}`,
    local_date: sql`CAST(${period} AS DATE)`,
    day_starts_at: sql`CAST(${isoInstant(dayBounds(period).start)} AS TIMESTAMPTZ)`,
    overnight_level: sql`'MUNICIPALITY'`,
    residence_level: sql`'DISTRICT'`,
  }
}
