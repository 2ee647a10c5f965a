import { gunzipSync } from 'node:zlib'
import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityTrips } from '../../../lake/datasets/mobility/trips.ts'
import { join, type Sql, sql } from '../../../lake/query/sql.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant } from '../../../lake/schema/time.ts'
import { readPiped } from '../../formats/piped.ts'
import { type Batch, type BulkFile, batch, defineFeed, type FeedBody, FormatError } from '../define.ts'
import { localHours } from '../local-hours.ts'
import { dailyFiles, V2_INDEX } from './mitma-files.ts'

type Cell = FeedRow<typeof mobilityTrips>

const COLUMNS = ['fecha', 'periodo', 'origen', 'destino', 'distancia', 'viajes', 'viajes_km']
const FOLDER = '/estudios_basicos/por-municipios/viajes/ficheros-diarios/'
const DAY = /^(\d{4})-?(\d{2})-?(\d{2})$/
const ESTIMATE = /^\d+(\.\d+)?$/
/** A day has 137 MB packed, and ten times that unpacked. */
const PACKED_BYTES = 400_000_000
const UNPACKED_BYTES = 8_000_000_000
/** What is read as rows of ours: files to try, not days of the whole country. */
const TRIED_BYTES = 256_000_000

/** Trips between municipalities, a file a day, published months later: some ten million lines each. */
export const mitmaTrips = defineFeed({
  id: 'mitma_trips',
  domain: 'mobility',
  source: mitma,
  into: [mobilityTrips],
  every_s: 7 * 86_400,
  plans: [
    {
      requests: [
        {
          name: 'day',
          url: `https://movilidad-opendata.mitma.es${FOLDER}2022-01/20220101_Viajes_municipios.csv.gz`,
          accept: 'application/gzip, text/csv',
          maxBytes: PACKED_BYTES,
          maxDecodedBytes: UNPACKED_BYTES,
          timeout_ms: 300_000,
          expects: 'csv',
          packed: 'gzip',
          isStreamed: true,
        },
      ],
    },
  ],
  archive: {
    unit: 'day',
    index: [V2_INDEX],
    files: (index) => dailyFiles(index, { name: /^(\d{8})_Viajes_municipios\.csv\.gz$/, folder: FOLDER }),
    recent: 2,
  },
  bulk: { query: cellsOfFile },
  freshBy: 'fetch',
  bands: { mobility_trips: { atLeast: 500, minRatio: 0.8, maxRatio: 1.25 } },
  rows: readDay,
})

/** What all rows of a day have: columns that are the same, and the instants of its hours. */
function dayOf(text: string) {
  const [, year, month, day] = DAY.exec(text) ?? []
  const local_date = `${year}-${month}-${day}`
  if (day === undefined || Number.isNaN(Date.parse(local_date))) throw new FormatError(`fecha ${JSON.stringify(text)} is no day`)
  return {
    fecha: `${year}${month}${day}`,
    same: {
      study: 'V2',
      study_day: `V2-${local_date}`,
      local_date,
      day_starts_at: dayBounds(local_date).start,
      zone_level: 'MUNICIPALITY',
    },
    hours: localHours(local_date),
  }
}

function cellsOfFile({ path, header, period }: BulkFile): Sql {
  const missing = COLUMNS.filter((name) => !header.split('|').includes(name))
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${header.slice(0, 500)}`)
  const { fecha, same, hours } = dayOf(period)
  const instant = (at: number): Sql => sql`CAST(${isoInstant(at)} AS TIMESTAMPTZ)`
  const starts = join(
    hours.map((at, hour) => (at === null ? sql`` : sql` WHEN ${hour} THEN ${instant(at)}`)),
    sql``,
  )
  return sql`
    SELECT ${same.study} AS study, ${same.study_day} AS study_day, CAST(${same.local_date} AS DATE) AS local_date,
      ${instant(same.day_starts_at)} AS day_starts_at, ${same.zone_level} AS zone_level,
      *, CASE hour${starts} END AS starts_at, starts_at IS NULL AS is_clock_change
    FROM (
      SELECT origen AS origin_zone, destino AS destination_zone, hour, distancia AS distance_band,
        CAST(sum(viajes) AS DECIMAL(15, 3)) AS trips, CAST(sum(viajes_km) AS DECIMAL(15, 3)) AS trip_km
      FROM (
        SELECT origen, destino, distancia, CAST(viajes AS DECIMAL(15, 3)) AS viajes, CAST(viajes_km AS DECIMAL(15, 3)) AS viajes_km,
          CASE WHEN fecha = ${fecha} THEN CAST(periodo AS INTEGER) ELSE error('a day other than the file: ' || fecha) END AS hour
        FROM read_csv(${path}, delim = '|', header = true, quote = '', escape = '', all_varchar = true, strict_mode = true)
      )
      GROUP BY ALL
    )`
}

function* readDay(bodies: readonly FeedBody[]): Generator<Batch> {
  for (const { name, bytes } of bodies) {
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
    const { batches } = readPiped(isPacked ? gunzipSync(bytes, { maxOutputLength: TRIED_BYTES }) : bytes, COLUMNS)
    let day = DAY.test(name) ? dayOf(name) : null
    const cells = new Map<string, Cell>()
    for (const lines of batches)
      for (const { text, fields } of lines) {
        if (fields === null) throw new FormatError(`another number of fields: ${text.slice(0, 200)}`)
        const [fecha = '', periodo = '', origin_zone = '', destination_zone = '', distance_band = '', viajes = '', viajes_km = ''] = fields
        day ??= dayOf(fecha)
        if (fecha !== day.fecha) throw new FormatError(`a day other than the file: ${fecha}`)
        if (!/^\d+$/.test(periodo) || !ESTIMATE.test(viajes) || !ESTIMATE.test(viajes_km))
          throw new FormatError(`no numbers: ${text.slice(0, 200)}`)
        const key = [origin_zone, destination_zone, periodo, distance_band].join('|')
        const hour = Number(periodo)
        const starts_at = day.hours[hour] ?? null
        const cell = cells.get(key) ?? {
          ...{ ...day.same, origin_zone, destination_zone, hour, starts_at, is_clock_change: starts_at === null },
          ...{ distance_band, trips: 0, trip_km: 0 },
        }
        cells.set(key, { ...cell, trips: plus(cell.trips, viajes), trip_km: plus(cell.trip_km, viajes_km) })
      }
    yield batch(mobilityTrips, [...cells.values()])
  }
}

/** A sum of thousandths, each number rounded to them first, as the engine does. */
function plus(sum: number, text: string): number {
  return (Math.round(sum * 1000) + Math.round(Number(text) * 1000)) / 1000
}
