import { gunzipSync } from 'node:zlib'
import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityDistrictTrips, mobilityGauTrips, mobilityTrips } from '../../../lake/datasets/mobility/trips.ts'
import { join, type Sql, sql } from '../../../lake/query/sql.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant } from '../../../lake/schema/time.ts'
import { readPiped } from '../../formats/piped.ts'
import { type Batch, type BulkFile, batch, defineFeed, type Feed, type FeedBody, FormatError } from '../define.ts'
import { localHours } from '../local-hours.ts'
import { dailyFiles, V2_INDEX } from './mitma-files.ts'

type Cell = FeedRow<typeof mobilityTrips>

const COLUMNS = ['fecha', 'periodo', 'origen', 'destino', 'distancia', 'viajes', 'viajes_km']
const DAY = /^(\d{4})-?(\d{2})-?(\d{2})$/
const ESTIMATE = /^\d+(\.\d+)?$/
/** A day has 137 MB packed between municipalities, 197 between districts, and ten times that unpacked. */
const PACKED_BYTES = 400_000_000
const UNPACKED_BYTES = 8_000_000_000
/** What is read as rows of ours: files to try, not days of the whole country. */
const TRIED_BYTES = 256_000_000

/** What differs between the files of the levels of zones. */
interface Level {
  readonly id: string
  readonly into: typeof mobilityTrips
  readonly zone_level: 'MUNICIPALITY' | 'DISTRICT' | 'GAU'
  /** The ministry's word for the level, in the names of files and folders. */
  readonly word: string
  /** False for what is only fetched where somebody asks for it: each level is as large as the others. */
  readonly liveByDefault?: boolean
}

/** Trips between zones of a level, a file a day, published months later: some ten million lines each. */
function tripsFeed({ id, into, zone_level, word, liveByDefault = true }: Level): Feed {
  const folder = `/estudios_basicos/por-${word}/viajes/ficheros-diarios/`
  return defineFeed({
    id,
    domain: 'mobility',
    source: mitma,
    into: [into],
    every_s: 7 * 86_400,
    plans: [
      {
        requests: [
          {
            name: 'day',
            url: `https://movilidad-opendata.mitma.es${folder}2022-01/20220101_Viajes_${word}.csv.gz`,
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
      files: (index) => dailyFiles(index, { name: new RegExp(`^(\\d{8})_Viajes_${word}\\.csv\\.gz$`), folder }),
      recent: 2,
    },
    bulk: { query: (file) => cellsOfFile(file, zone_level) },
    freshBy: 'fetch',
    liveByDefault,
    bands: { [into.id]: { atLeast: 500, minRatio: 0.8, maxRatio: 1.25 } },
    rows: (bodies) => readDay(bodies, { into, zone_level }),
  })
}

/** Trips between municipal zones. */
export const mitmaTrips = tripsFeed({ id: 'mitma_trips', into: mobilityTrips, zone_level: 'MUNICIPALITY', word: 'municipios' })

/** Trips between districts: the largest files. */
export const mitmaDistrictTrips = tripsFeed({
  id: 'mitma_district_trips',
  into: mobilityDistrictTrips,
  zone_level: 'DISTRICT',
  word: 'distritos',
  liveByDefault: false,
})

/** Trips between large urban areas and the zones outside them. */
export const mitmaGauTrips = tripsFeed({
  id: 'mitma_gau_trips',
  into: mobilityGauTrips,
  zone_level: 'GAU',
  word: 'GAU',
  liveByDefault: false,
})

/** What all rows of a day have: columns that are the same, and the instants of its hours. */
function dayOf(text: string, zone_level: Level['zone_level']) {
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
      zone_level,
    },
    hours: localHours(local_date),
  }
}

function cellsOfFile({ path, header, period }: BulkFile, zone_level: Level['zone_level']): Sql {
  const missing = COLUMNS.filter((name) => !header.split('|').includes(name))
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${header.slice(0, 500)}`)
  const { fecha, same, hours } = dayOf(period, zone_level)
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

function* readDay(bodies: readonly FeedBody[], { into, zone_level }: Pick<Level, 'into' | 'zone_level'>): Generator<Batch> {
  for (const { name, bytes } of bodies) {
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
    const { batches } = readPiped(isPacked ? gunzipSync(bytes, { maxOutputLength: TRIED_BYTES }) : bytes, COLUMNS)
    let day = DAY.test(name) ? dayOf(name, zone_level) : null
    const cells = new Map<string, Cell>()
    for (const lines of batches)
      for (const { text, fields } of lines) {
        if (fields === null) throw new FormatError(`another number of fields: ${text.slice(0, 200)}`)
        const [fecha = '', periodo = '', origin_zone = '', destination_zone = '', distance_band = '', viajes = '', viajes_km = ''] = fields
        day ??= dayOf(fecha, zone_level)
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
    yield batch(into, [...cells.values()])
  }
}

/** A sum of thousandths, each number rounded to them first, as the engine does. */
function plus(sum: number, text: string): number {
  return (Math.round(sum * 1000) + Math.round(Number(text) * 1000)) / 1000
}
