import { LINE_ABSENCES } from '../../../lake/datasets/mobility/codes.ts'
import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { RISK_BASES } from '../../../lake/datasets/safety/codes.ts'
import { riskEstimates, riskProfiles } from '../../../lake/datasets/safety/risk.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { dgtAccidentFiles } from '../../../lake/datasets/safety/sources.ts'
import { onlyPlace } from '../../../lake/places/place-on-road.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import type { RiskBasis } from '../../../models/risk/bases.ts'
import { type HourShares, hourShares } from '../../../models/risk/profile.ts'
import { defineEndpoint, keyedList, type MemoryAsk, type RestsOn } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { isSectionOn } from '../../kernel/filters.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { codeParam, integerParam, numberParam, required, withDefault } from '../../kernel/params/params.ts'
import { boxParam, roadName, roadParam, roadParams, wholeProvinceParam } from '../../kernel/params/params-place.ts'
import { instantParam } from '../../kernel/params/params-time.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { isInside } from '../../kernel/reads/geo.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { type Posts, ROAD_TABLES, roadPosts } from '../road/posts.ts'

const { columns } = riskEstimates
const HOUR_MS = 3_600_000
const HOURS = 24
const YEAR_MS = 365 * HOURS * HOUR_MS
const LAKE = [riskEstimates, riskProfiles, ...ROAD_TABLES] as const
type Estimate = Row<typeof riskEstimates>
type Basis = RiskBasis['basis']

/**
 * The accidents behind the estimates, by basis: the reply is stale once they stop arriving. Roads use only the national table.
 */
const MADE_FROM: { readonly [basis in Basis]: RestsOn } = {
  ANIMALS: { dataset: animalAccidents },
  CASUALTY: { dataset: roadAccidents, source: dgtAccidentFiles },
}

const accidents = (about: string, example: number) => field.float(about, '1', example)
const intervalOf = (low: number, high: number) =>
  nested.maybe('Interval of the expected number, not of the outcome; null without a number.', {
    level: columns.interval_level,
    low: accidents('Lower end.', low),
    high: accidents('Upper end.', high),
  })

/** Fields of a section, the same at every hour. */
const sectionFields = {
  section: columns.section,
  road: field.text('Road designation.', 'A-7'),
  km_from: meaning(columns.km, 'First kilometre of the section.'),
  km_to: meaning(columns.km_to, 'Its last kilometre, exclusive: the next section begins there.'),
  province: provinceField(columns.province_code),
  province_code: columns.province_code,
  expected_week: meaning(columns.expected, 'Expected accidents on it in a mean week; null without a number, see `reason`.'),
  ...pick(columns, 'rank', 'risk_class', 'accidents', 'risk_basis', 'recent_error', 'reason', 'made_at', 'model'),
  model_version: columns.model_version,
} as const

/** Fields of an hour on a section. */
const hourFields = {
  starts_at: field.instant('Begin of the hour.', '2026-01-02T19:00:00.000Z'),
  horizon: field.text('Length of the time of the number, as an ISO 8601 duration.', 'PT1H'),
  expected: maybe.float('Expected accidents on the section in the hour; null without a number.', '1', 0.0021),
  interval: intervalOf(0.0015, 0.0029),
  baseline: accidents('Mean of all sections and hours.', 0.000226),
} as const

const lineFields = {
  geometry: maybe.line('Line of the section, through known points of the road.', {
    type: 'LineString',
    coordinates: [
      [-2.31, 38.62],
      [-2.27, 38.65],
    ],
  }),
  geometry_absent: maybe.code('Why there is no line; null if there is one.', LINE_ABSENCES, null),
} as const

const riskFields = { ...sectionFields, ...hourFields, ...lineFields } as const
const stripFields = {
  ...sectionFields,
  hours: nested.objects(`The ${HOURS} hours from the requested one.`, hourFields),
  ...lineFields,
} as const

const risk = record('SectionRisk', 'Expected accidents on a section of a road in an hour.', riskFields)
const strip = record('SectionStrip', 'A section of a road with expected accidents by hour.', stripFields)

/** Estimates by their basis. */
const estimates = defineCachedQuery<ReadonlyMap<string, readonly Estimate[]>>({
  name: 'risk of road sections',
  from: [riskEstimates],
  read: async ({ all }) => Map.groupBy(await all<Estimate>(sql`SELECT * FROM ${scan(riskEstimates)}`), ({ risk_basis }) => risk_basis),
})

/** Shares of hours by model and version. An estimate uses the shares of its own version only. */
const shares = defineCachedQuery<ReadonlyMap<string, HourShares>>({
  name: 'risk by hour',
  from: [riskProfiles],
  async read({ all }) {
    const profiles = await all<Row<typeof riskProfiles>>(sql`SELECT * FROM ${scan(riskProfiles)} ORDER BY kind`)
    const profileOf = ({ by_sun, by_hour, season }: (typeof profiles)[number]) =>
      ({ bySun: by_sun, byHour: by_hour, season }) as unknown as Parameters<typeof hourShares>[0][number]
    return new Map([...Map.groupBy(profiles, versionOf)].map(([version, theirs]) => [version, hourShares(theirs.map(profileOf))]))
  },
})

const versionOf = ({ model, model_version }: { readonly model: string; readonly model_version: string }): string =>
  `${model} ${model_version}`

const short = (value: number): number => Number(value.toPrecision(6))

/** Expected accidents on a section in the hour that begins at an instant (ms). */
function hourOf(one: Estimate, at: number, byVersion: ReadonlyMap<string, HourShares>): ValueOf<typeof hourFields> {
  const parts = one.expected === null ? null : (byVersion.get(versionOf(one))?.(one.province_code, at) ?? null)
  const expected = parts && one.expected_by_kind.reduce((sum, kind, nth) => sum + kind * (parts[nth] ?? 0), 0)
  const scale = expected === null || !one.expected ? null : expected / one.expected
  const interval =
    scale === null || one.interval_low === null || one.interval_high === null
      ? null
      : { level: one.interval_level, low: short(one.interval_low * scale), high: short(one.interval_high * scale) }
  return {
    ...{ starts_at: at, horizon: 'PT1H', expected: expected === null ? null : short(expected), interval },
    baseline: short(one.baseline / (7 * HOURS)),
  }
}

function sectionOf(one: Estimate): ValueOf<typeof sectionFields> {
  const { km: km_from, expected: expected_week } = one
  return { ...one, road: roadName(one.road), km_from, expected_week, province: provinceName(one.province_code) }
}

/** A record of a section without its line, which is drawn only for records that are shown. */
const drawn = <D extends { readonly road: string; readonly km_from: number; readonly km_to: number; readonly province_code: string }>(
  draft: D,
  posts: Posts | null,
): D & ValueOf<typeof lineFields> => {
  const line = posts?.line(foldRoad(draft.road), draft)?.line ?? null
  return { ...draft, geometry: line, geometry_absent: line ? null : posts ? 'NO_POINTS' : 'NOT_NOW' }
}

/** Middles of sections, cached by road points: computing them for all sections takes longer than a reply may. */
const middlesOf = memo((_posts: Posts) => new Map<string, Point | null>())

function middleOf(one: Estimate, posts: Posts): Point | null {
  const known = middlesOf(posts)
  const found = known.get(one.section)
  if (found !== undefined) return found
  const place = onlyPlace(posts.at(one.road, (one.km + one.km_to) / 2, one.province_code))
  known.set(one.section, place?.position ?? null)
  return place?.position ?? null
}

/** Number of sections that cannot be located: all of them if road points cannot be read. */
const unlocatedOf = (sections: readonly Estimate[], posts: Posts | null): number =>
  posts === null ? sections.length : sections.filter((one) => middleOf(one, posts) === null).length

/** The kilometres of a section. */
const spanOf = ({ road, km, km_to }: Estimate): Parameters<typeof isSectionOn>[1] => ({ road, km_from: km, km_to })

/** The begin of the hour of an instant (ms). */
const hourAt = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS

const atParam = instantParam(
  'Instant in the first hour of the reply; by default now. From a year before the newest data to a year from now.',
  '2026-01-02T19:00:00Z',
)

/** Begin of the first hour of the reply, ms. Throws for an instant over a year before the first estimate or from now. */
function firstHour(of: readonly Estimate[], at: number | null, now: number): number {
  const earliest = of.reduce((least, { made_at }) => Math.min(least, made_at), now)
  const [from, to] = [earliest - YEAR_MS, hourAt(now) + YEAR_MS]
  if (at !== null && of.length > 0 && (at < from || at >= to))
    throw new InvalidParam(`expected an instant from ${isoInstant(from)} to before ${isoInstant(to)}`, {
      ...{ parameter: 'at', value: isoInstant(at) },
    })
  return hourAt(at ?? now)
}

const METHOD =
  'Poisson rates of the sections by empirical Bayes; for accidents with animals, by kind of animal. They use accidents on the section, next to it, on the rest of the road and in the province. Rates are multiplied by the distribution of accidents over weeks of the year, the Sun’s clock and hours of the local clock. These are hours of the day for accidents with animals, else of the week. ' +
  'The interval is that of the expected number. `/api/prediccion/modelos` has the errors.'
const ABOUT =
  'Sections of 5 km with the expected number of accidents. Each record states its kind of accidents (`risk_basis`): the two kinds overlap and must not be added up. A road with fewer than three accidents has records without a number; `reason` says why.'

const EXPLAINED = defineMethodPage('road-risk', new URL('../../../models/risk/method.md', import.meta.url))

const basisParam = codeParam(
  'Kind of accidents: by default those with somebody killed or hurt or, if these have not landed, those with animals.',
  RISK_BASES,
  { example: 'ANIMALS' },
)

/** The estimates of the requested basis. Throws if there are estimates, but none of this basis. */
async function askedOf({ cached: slice, optional: extra }: MemoryAsk<readonly []>, basis: string | null) {
  const known = await slice(estimates, '')
  const meant = basis ?? (known.has('CASUALTY') ? 'CASUALTY' : 'ANIMALS')
  const all = known.get(meant)
  if (basis !== null && all === undefined && known.size > 0)
    throw new InvalidParam(`expected one that has landed: ${[...known.keys()].sort().join(', ')}`, { parameter: 'basis', value: basis })
  const restsOn = [MADE_FROM[meant as Basis]]
  return { all: all ?? [], vehicleShares: await slice(shares, ''), posts: await extra(roadPosts, ''), restsOn }
}

/** Risk of road sections by hour. */
export const riskList = defineEndpoint({
  path: '/api/prediccion/riesgo',
  plan: 'ENTERPRISE',
  summary: 'Expected accidents by road section and hour, with interval, rank and class',
  summary_es: 'Accidentes esperados por tramo y hora, con intervalo, puesto y clase',
  about: `${ABOUT} \`bbox\` selects sections by their middle. Several hours need a road, a province or a box.`,
  explained: EXPLAINED,
  statistic: { grain: 'One section of a road, one hour.', method: METHOD },
  params: {
    stretch: roadParams,
    province: wholeProvinceParam,
    bbox: boxParam('Box that contains the middle of a section'),
    basis: basisParam,
    at: atParam,
    hours: withDefault(integerParam('Number of hours, from the first on.', { min: 1, max: HOURS, unit: 'h', example: '3' }), 1),
  },
  returns: keyedList('sections', risk, ['starts_at', 'section'], { sorts: ['starts_at', 'expected', 'rank', 'road'] }),
  read: {
    kind: 'memory',
    from: [],
    lake: LAKE,
    needs: [riskEstimates, riskProfiles],
    reportsUnlocated: true,
    madeFrom: Object.values(MADE_FROM),
    clockGranularity_s: 3600,
    answer: async (ask, { stretch, province, bbox, basis, at, hours }, now) => {
      if (hours > 1 && stretch.road === null && province === null && bbox === null)
        throw new InvalidParam('expected 1 without road, province or bbox', { parameter: 'hours', value: String(hours) })
      const { all, vehicleShares, posts, restsOn } = await askedOf(ask, basis)
      const fitting = all.filter((one) => (province === null || province.includes(one.province_code)) && isSectionOn(stretch, spanOf(one)))
      const wanted = bbox === null ? fitting : fitting.filter((one) => posts !== null && isInside(bbox, middleOf(one, posts)))
      const unlocated = unlocatedOf(fitting, posts)
      const first = firstHour(all, at, now)
      const drafts = wanted.flatMap((one) =>
        Array.from({ length: hours }, (_, hour) => ({ ...sectionOf(one), ...hourOf(one, first + hour * HOUR_MS, vehicleShares) })),
      )
      return { drafts, finish: (draft: (typeof drafts)[number]) => drawn(draft, posts), counts: {}, restsOn, unlocated }
    },
  },
  example: { province: '29', hours: '3' },
})

/** All sections of a road. */
export const riskByRoad = defineEndpoint({
  path: '/api/prediccion/riesgo/{road}',
  plan: 'ENTERPRISE',
  summary: 'Risk of one road by hour for a day: each section with its 24 hours, as GeoJSON',
  summary_es: 'Riesgo de una carretera por hora en un día, por tramos, en GeoJSON',
  about: `${ABOUT} A road without sections of the basis is not found. Replies are GeoJSON by default.`,
  explained: EXPLAINED,
  statistic: { grain: 'One section of a road; each of its hours is one hour.', method: METHOD },
  params: {
    road: required(roadParam),
    basis: basisParam,
    at: atParam,
    km_from: numberParam('Begin of the stretch.', { min: 0, max: 2000, unit: 'km', example: '10' }),
    km_to: numberParam('End of the stretch, included.', { min: 0, max: 2000, unit: 'km', example: '60' }),
  },
  returns: keyedList('sections', strip, ['section'], { sorts: ['km_from', 'rank'], order: 'km_from', prefers: 'geojson' }),
  read: {
    kind: 'memory',
    from: [],
    lake: LAKE,
    needs: [riskEstimates, riskProfiles],
    reportsUnlocated: true,
    madeFrom: Object.values(MADE_FROM),
    clockGranularity_s: 3600,
    answer: async (ask, { road, basis, at, km_from, km_to }, now) => {
      if (km_from !== null && km_to !== null && km_from > km_to)
        throw new InvalidParam(`expected at most km_to (${km_to})`, { parameter: 'km_from', value: String(km_from) })
      const { all, vehicleShares, posts, restsOn } = await askedOf(ask, basis)
      const ofRoad = all.filter((one) => isSectionOn({ road, km_from: null, km_to: null }, spanOf(one)))
      if (ofRoad.length === 0) return null
      const first = firstHour(all, at, now)
      const wanted = ofRoad.filter((one) => isSectionOn({ road, km_from, km_to }, spanOf(one)))
      const drafts = wanted.map((one) => ({
        ...sectionOf(one),
        hours: Array.from({ length: HOURS }, (_, hour) => hourOf(one, first + hour * HOUR_MS, vehicleShares)),
      }))
      const finish = (draft: (typeof drafts)[number]) => drawn(draft, posts)
      return { drafts, finish, counts: {}, restsOn, unlocated: unlocatedOf(wanted, posts) }
    },
  },
  example: { road: 'A-7' },
})
