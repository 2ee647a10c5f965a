import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityDistrictTrips, mobilityGauTrips, mobilityTrips, mobilityV1Trips } from '../../../lake/datasets/mobility/trips.ts'
import { join, type Sql, sql } from '../../../lake/query/sql.ts'
import { dayBounds, isoInstant } from '../../../lake/schema/time.ts'
import { type BulkFile, type Feed, type FeedRequest, FormatError } from '../define.ts'
import { bulkFeed } from '../kit/bulk-feed.ts'
import { localHours } from '../local-hours.ts'
import { dailyFiles, V1_INDEX, V2_INDEX } from './mitma-files.ts'

const COLUMNS = ['fecha', 'periodo', 'origen', 'destino', 'distancia', 'viajes', 'viajes_km']
const DAY = /^(\d{4})-?(\d{2})-?(\d{2})$/
/** A day has 137 MB compressed between municipalities, 197 between districts, and ten times that decompressed. */
const PACKED_BYTES = 400_000_000
const UNPACKED_BYTES = 8_000_000_000

/** A study: its files differ from those of the other. */
interface Study {
  readonly id: 'V1' | 'V2'
  readonly index: FeedRequest
  /** Our distance bands, by the study's own words if they differ. */
  readonly bands: Readonly<Record<string, string>>
  /**
   * The files of a level, by the ministry's word for it: their folder, the first file, and the pattern of their names, whose
   * group is the day.
   */
  readonly files: (word: string) => { readonly folder: string; readonly first: string; readonly name: RegExp }
}

const V2: Study = {
  id: 'V2',
  index: V2_INDEX,
  bands: {},
  files: (word) => {
    const folder = `/estudios_basicos/por-${word}/viajes/ficheros-diarios/`
    return { folder, first: `${folder}2022-01/20220101_Viajes_${word}.csv.gz`, name: new RegExp(`^(\\d{8})_Viajes_${word}\\.csv\\.gz$`) }
  },
}

/** The study of 2020 and 2021; its files have more columns than are read. */
const V1: Study = {
  id: 'V1',
  index: V1_INDEX,
  bands: { '0005-002': '0.5-2', '002-005': '2-5', '005-010': '5-10', '010-050': '10-50', '050-100': '50-100', '100+': '>100' },
  files: (word) => {
    const folder = `/maestra1-mitma-${word}s/ficheros-diarios/`
    const name = new RegExp(`^(\\d{8})_maestra_1_mitma_${word}\\.txt\\.gz$`)
    return { folder, first: `${folder}2020-02/20200221_maestra_1_mitma_${word}.txt.gz`, name }
  },
}

/** A level of zones in a study's files. */
interface Level {
  readonly id: string
  readonly study: Study
  readonly into: typeof mobilityTrips
  readonly zone_level: 'MUNICIPALITY' | 'DISTRICT' | 'GAU'
  /** The ministry's word for the level, in the names of files and folders. */
  readonly word: string
  /** False if the feed is off by default: each level is as large as the others. */
  readonly liveByDefault?: boolean
}

/** The level that a file belongs to. */
type FileLevel = Pick<Level, 'into' | 'study' | 'zone_level'>

/** Trips between zones of a level, a file a day, published months later: some ten million lines each. */
function tripsFeed({ id, study, into, zone_level, word, liveByDefault = true }: Level): Feed {
  const { folder, first, name } = study.files(word)
  const level: FileLevel = { into, study, zone_level }
  return bulkFeed({
    id,
    source: mitma,
    into,
    every_s: 7 * 86_400,
    get: {
      name: 'day',
      url: `${new URL(study.index.url).origin}${first}`,
      accept: 'application/gzip, text/csv',
      maxBytes: PACKED_BYTES,
      maxDecodedBytes: UNPACKED_BYTES,
      timeout_ms: 300_000,
      expects: 'csv',
      packed: 'gzip',
      isStreamed: true,
    },
    archive: { unit: 'day', index: [study.index], files: (index) => dailyFiles(index, { name, folder }), recent: 2 },
    bulk: { query: (file) => cellsOfFile(file, level), derivedColumns: ({ period }) => dayColumns(period, level) },
    freshBy: 'fetch',
    liveByDefault,
    bands: { [into.id]: { atLeast: 500, minRatio: 0.8, maxRatio: 1.25 } },
  })
}

/** Trips between municipal zones. */
export const mitmaTrips = tripsFeed({
  id: 'mitma_trips',
  study: V2,
  into: mobilityTrips,
  zone_level: 'MUNICIPALITY',
  word: 'municipios',
})

/** Trips between districts: the largest files. */
export const mitmaDistrictTrips = tripsFeed({
  id: 'mitma_district_trips',
  study: V2,
  into: mobilityDistrictTrips,
  zone_level: 'DISTRICT',
  word: 'distritos',
  liveByDefault: false,
})

/** Trips between large urban areas and the zones outside them. */
export const mitmaGauTrips = tripsFeed({
  id: 'mitma_gau_trips',
  study: V2,
  into: mobilityGauTrips,
  zone_level: 'GAU',
  word: 'GAU',
  liveByDefault: false,
})

/** Trips between municipal zones of the study of 2020 and 2021, which has ended and does not change. */
export const mitmaV1Trips = tripsFeed({
  id: 'mitma_v1_trips',
  study: V1,
  into: mobilityV1Trips,
  zone_level: 'MUNICIPALITY',
  word: 'municipio',
  liveByDefault: false,
})

/** Columns shared by all rows of a day, and the instants of its hours. */
function dayOf(text: string, { study, zone_level }: FileLevel) {
  const [, year, month, day] = DAY.exec(text) ?? []
  const local_date = `${year}-${month}-${day}`
  if (day === undefined || Number.isNaN(Date.parse(local_date))) throw new FormatError(`fecha ${JSON.stringify(text)} is no day`)
  return {
    fecha: `${year}${month}${day}`,
    same: {
      study: study.id,
      study_day: `${study.id}-${local_date}`,
      local_date,
      day_starts_at: dayBounds(local_date).start,
      zone_level,
    },
    hours: localHours(local_date),
  }
}

function cellsOfFile({ path, header, period }: BulkFile, level: FileLevel): Sql {
  const missing = COLUMNS.filter((name) => !header.split('|').includes(name))
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${header.slice(0, 500)}`)
  const { fecha } = dayOf(period, level)
  const bands = Object.entries(level.study.bands).map(([word, band]) => sql`WHEN ${word} THEN ${band} `)
  const band = bands.length === 0 ? sql`distancia` : sql`CASE distancia ${join(bands, sql``)} ELSE distancia END`
  return sql`
    SELECT origen AS origin_zone, destino AS destination_zone, hour, ${band} AS distance_band,
      CAST(sum(viajes) AS DECIMAL(15, 3)) AS trips, CAST(sum(viajes_km) AS DECIMAL(15, 3)) AS trip_km
    FROM (
      SELECT origen, destino, distancia, CAST(viajes AS DECIMAL(15, 3)) AS viajes, CAST(viajes_km AS DECIMAL(15, 3)) AS viajes_km,
        CASE WHEN fecha = ${fecha} THEN CAST(periodo AS INTEGER) ELSE error('a day other than the file: ' || fecha) END AS hour
      FROM read_csv(${path}, delim = '|', header = true, quote = '', escape = '', all_varchar = true, strict_mode = true)
    )
    GROUP BY ALL`
}

/** The constant columns of a day, and those computed from the hour. */
function dayColumns(period: string, level: FileLevel): Readonly<Record<string, Sql>> {
  const { same, hours } = dayOf(period, level)
  const instant = (at: number): Sql => sql`CAST(${isoInstant(at)} AS TIMESTAMPTZ)`
  const starts = join(hours.map((at) => (at === null ? sql`CAST(NULL AS TIMESTAMPTZ)` : instant(at))))
  return {
    study: sql`${same.study}`,
    study_day: sql`${same.study_day}`,
    local_date: sql`CAST(${same.local_date} AS DATE)`,
    day_starts_at: instant(same.day_starts_at),
    zone_level: sql`${same.zone_level}`,
    starts_at: sql`[${starts}][hour + 1]`,
    is_clock_change: sql`starts_at IS NULL`,
  }
}
