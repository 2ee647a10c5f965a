import { accidentPositions } from '../../../lake/datasets/safety/accident-places.ts'
import { accidentHotspots, HOTSPOT_BANDWIDTHS_M, HOTSPOT_KERNELS, HOTSPOT_WEIGHTINGS } from '../../../lake/datasets/safety/hotspots.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { dgtAccidentFiles } from '../../../lake/datasets/safety/sources.ts'
import { provincesOf } from '../../../lake/places/regions.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { mostErrorM, NATIONAL } from '../../../models/hotspots/sets.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { idOfListed } from '../../kernel/example.ts'
import { field, maybe, nested, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { boxFilter, placeFilter } from '../../kernel/filters.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { codeParam, integerParam, listOf, numberParam, oneOf, required, textParam, withDefault } from '../../kernel/params/params.ts'
import { boxParam, type PlaceFilter } from '../../kernel/params/params-place.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { columnsOf, isOneOf } from '../../kernel/reads/filter.ts'
import { provinceField, provinceName } from '../common-fields.ts'

const { columns } = accidentHotspots
const c = (name: string): Sql => column(accidentHotspots, name)
/** Sources whose accidents have positions: published ones, or by road and kilometre. */
const SOURCES = ['madrid', 'barcelona', 'dgt_accidents'] as const

const HOTSPOT = {
  id: columns.hotspot_id,
  ...pick(columns, 'source', 'years', 'kernel', 'bandwidth_m', 'weighting', 'rank', 'score', 'accidents', 'killed', 'serious'),
  ...pick(columns, 'slight', 'density_km2', 'p_value', 'q_value'),
  peak: nested.object('Place of the highest density.', {
    lat: field.float('Latitude, WGS84.', 'deg', 40.3983),
    lon: field.float('Longitude, WGS84.', 'deg', -3.6661),
  }),
  roads: columns.streets,
  area_m2: columns.area_m2,
  province: provinceField(columns.province_code),
  ...pick(columns, 'province_code', 'municipality_code', 'coverage', 'position_error_m'),
  geometry: columns.area,
} as const

const hotspot = record('Hotspot', 'A black spot: a place with more accidents with victims than chance explains.', HOTSPOT)

type HotspotRow = ValueOf<typeof columns>

function toHotspot(row: HotspotRow): ValueOf<typeof HOTSPOT> {
  const { hotspot_id: id, area: geometry, streets: roads, ...rest } = row
  return { ...rest, id, geometry, roads, province: provinceName(row.province_code) }
}

const METHOD =
  'Kernel density of the accidents with victims and a position; in a city, in its UTM grid (EPSG:25830 in Madrid, 25831 in Barcelona). It covers the three newest years of a source that have accidents with a position (`years`). Years more than three before the newest are left out. A peak is a black spot if chance does not explain it. Chance is an inhomogeneous Poisson process with the density of the same accidents at five times the bandwidth. It must reach the peak in few of 999 seeded runs (`p_value`). The false discovery rate over all peaks (`q_value`, Benjamini and Hochberg) must be at most 0.05. The polygon is the density contour at half the peak, or at the saddle if it would include a higher peak. It contains its peak and at least three accidents; smaller areas are shoulders of the higher peak. On roads (source `dgt_accidents`) density and chance are along the road. Accidents count if the error of their position is at most half the bandwidth; the polygon is around the accidents on the stretch, and `position_error_m` is the median of their errors. With `weighting=SEVERITY` a fatal accident counts 5, a serious one 3.'

const EXPLAINED = defineMethodPage('black-spots', new URL('../../../models/hotspots/method.md', import.meta.url))

/** The positions by road and kilometre that count at a bandwidth: none at one that only cities have. */
const byRoad = (bandwidth: string) => ({
  source: { eq: dgtAccidentFiles.id },
  error_m: { lte: NATIONAL.bandwidths_m.some((one) => String(one) === bandwidth) ? mostErrorM(Number(bandwidth)) : -1 },
})

/** Condition that an accident is in the requested province, or in that of a requested municipality. */
function isInProvinceOf({ region, municipality_codes }: PlaceFilter): Sql {
  const codes = region ?? municipality_codes
  return codes ? isOneOf(sql`province_code`, provincesOf(codes)) : sql`true`
}

/** Black spots. */
export const hotspotList = defineEndpoint({
  path: '/api/accidentes/hotspots',
  plan: 'PRO',
  summary: 'Black spots of road accidents by kernel density, with their significance',
  summary_es: 'Puntos negros de accidentes por densidad de núcleo, con su significación',
  about:
    'Places with more accidents with victims than chance explains, with outline and significance. Sources are never merged. ' +
    'Madrid and Barcelona: in streets; national (`dgt_accidents`): along roads, `bandwidth` 250 or 500. ' +
    '`coverage` reports, by source and province, how many accidents have a position that is exact enough. Replies are GeoJSON by default.',
  explained: EXPLAINED,
  statistic: { grain: 'One place of one source, for one kernel, bandwidth and weighting.', method: METHOD, hasYears: true },
  params: {
    source: listOf(oneOf('Source.', SOURCES, { example: 'madrid' })),
    kernel: withDefault(codeParam('Kernel.', HOTSPOT_KERNELS), 'EPANECHNIKOV'),
    bandwidth: withDefault(
      oneOf('Bandwidth of the kernel, m.', HOTSPOT_BANDWIDTHS_M.map(String) as readonly ('100' | '250' | '500')[]),
      '250',
    ),
    weighting: withDefault(codeParam('Weight of an accident.', HOTSPOT_WEIGHTINGS), 'NONE'),
    years: listOf(integerParam('Only black spots whose data includes this year.', { min: 1990, max: 2200, example: '2025' })),
    min_score: numberParam('Least score.', { min: 0, max: 100, unit: '%', example: '50' }),
  },
  filters: [placeFilter, boxFilter(boxParam('Box that contains the peak'))],
  returns: listReturn('hotspots', hotspot, {
    sorts: ['rank', 'score', 'accidents', 'density_km2', 'killed'],
    order: 'rank',
    limit: { default: 100, max: 1000 },
    prefers: 'geojson',
    sideLists: {
      coverage: nested.objects('Number of accidents with victims and a known position: without positions there are no black spots.', {
        source: field.text('Source.', 'dgt_accidents'),
        province_code: maybe.text('INE code of the province.', '28'),
        municipality_code: maybe.text('INE code of the municipality of all of them; null if there are several.', null),
        accidents: field.integer('Accidents with victims in all years of the table.', '1', 14_183),
        located: field.integer(
          'Those with a published position, or one by road and kilometre with an error of at most half the bandwidth.',
          '1',
          0,
        ),
        share: field.decimal('The same as a share.', '1', 4, 0),
        located_years: field.list('Years with such positions.', field.integer('Year.', '1'), []),
      }),
    },
  }),
  read: {
    kind: 'lake',
    from: [accidentHotspots, roadAccidents, accidentPositions],
    query: (p, lake) => {
      const sets = (p.source ?? SOURCES).map((source) => [source, p.kernel.toLowerCase(), p.bandwidth, p.weighting.toLowerCase()].join('.'))
      const parts = [
        lake.where(columnsOf(accidentHotspots, { position_lat: c('peak_lat'), position_lon: c('peak_lon') })),
        ...(p.min_score === null ? [] : [sql`${c('score')} >= ${p.min_score}`]),
        ...(p.years ?? []).map((year) => sql`list_contains(${c('years')}, ${year})`),
      ]
      return sql`SELECT *, ${c('hotspot_id')} AS id FROM ${scan(accidentHotspots, { hotspot_set: { in: sets } })} WHERE ${join(parts, sql` AND `)}`
    },
    sideQueries: {
      coverage: (p) => sql`
        SELECT source, province_code,
          CASE WHEN count(DISTINCT coalesce(municipality_code, '')) = 1 THEN min(municipality_code) END AS municipality_code,
          CAST(count(*) AS INTEGER) AS accidents,
          CAST(count(located) AS INTEGER) AS located,
          CAST(count(located) / count(*) AS DECIMAL(9, 4)) AS share,
          coalesce(list_sort(list(DISTINCT year) FILTER (located IS NOT NULL)), []) AS located_years
        FROM (
          SELECT a.*, coalesce(a.position_lat, p.position_lat) AS located
          FROM ${scan(roadAccidents, { is_casualty: { eq: true } })} AS a
          LEFT JOIN ${scan(accidentPositions, byRoad(p.bandwidth))} AS p ON a.edition = p.edition AND a.accident_id = p.accident_id
        )
        WHERE ${isInProvinceOf(p.place)}
        GROUP BY source, province_code
        ORDER BY source, province_code`,
    },
    existingValues: {
      years: {
        expected: 'expected a year in the data of black spots',
        values: () => sql`SELECT DISTINCT CAST(unnest(${c('years')}) AS VARCHAR) AS value FROM ${scan(accidentHotspots)} ORDER BY value`,
      },
    },
    rows: { columns: { ...tableColumns(accidentHotspots), id: HOTSPOT.id }, finish: toHotspot },
  },
  example: { source: 'madrid', min_score: '50' },
})

const counted = (what: string, key: string) =>
  nested.objects(`Its accidents by ${what}, in descending order of count.`, {
    value: field.text(`The ${what}.`, key),
    accidents: field.integer('Accidents.', '1', 12),
  })

const detail = record('HotspotDetail', 'A black spot with counts of its accidents.', {
  ...HOTSPOT,
  by_type: counted('kind (accident_type); UNKNOWN if the source states none', 'REAR_END'),
  by_severity: counted('severity (accident_severity)', 'SLIGHT'),
  by_hour: counted('hour of the local clock', '14'),
  by_year: counted('year', '2025'),
})

function listed(counts: unknown): { value: string; accidents: number }[] {
  return Object.entries(counts as Record<string, number>)
    .map(([value, accidents]) => ({ value, accidents }))
    .sort((one, other) => other.accidents - one.accidents || (one.value < other.value ? -1 : 1))
}

/** One black spot by its id. */
const hotspotById = defineCachedQuery<HotspotRow | null>({
  name: 'accident hotspot',
  from: [accidentHotspots],
  maxEntries: 200,
  async read({ all }, id) {
    const [row] = await all<HotspotRow>(
      sql`SELECT * FROM ${scan(accidentHotspots, { hotspot_id: { eq: id } })} LIMIT 1`,
      tableColumns(accidentHotspots),
    )
    return row ?? null
  },
})

/** One black spot. */
export const hotspotDetail = defineEndpoint({
  path: '/api/accidentes/hotspots/{id}',
  plan: 'PRO',
  summary: 'One black spot: its accidents by kind, severity, hour and year',
  summary_es: 'Un punto negro: sus accidentes por tipo, gravedad, hora y año',
  about: 'The black spot with its outline and significance, and its accidents by kind, severity, hour and year.',
  explained: EXPLAINED,
  statistic: {
    grain: 'One place of one source, for one kernel, bandwidth and weighting; its accidents by kind, severity, hour and year.',
    method: METHOD,
  },
  params: { id: required(textParam('Id of the black spot.', { max: 40, example: 'hs_4kq7v2m9x1tz' })) },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'memory',
    from: [],
    lake: [accidentHotspots],
    answer: async ({ cached: slice }, { id }) => {
      const row = await slice(hotspotById, id)
      if (!row) return null
      const { by_type, by_severity, by_hour, by_year } = row
      return {
        ...toHotspot(row),
        by_type: listed(by_type),
        by_severity: listed(by_severity),
        by_hour: listed(by_hour),
        by_year: listed(by_year),
      }
    },
  },
  example: { id: idOfListed('hs_4kq7v2m9x1tz') },
})
