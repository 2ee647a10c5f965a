import { imdSections } from '../../../lake/datasets/mobility/imd.ts'
import { mitmaTrafficMap } from '../../../lake/datasets/mobility/sources.ts'
import { provinceByName } from '../../../lake/places/provinces.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { type Feature, nextPage, readFeatures } from '../../formats/arcgis.ts'
import { numberIn } from '../../formats/numbers.ts'
import { batch, type Diagnostics, defineFeed, FormatError, type Get, lookUp } from '../define.ts'
import { yearsFrom } from '../periods.ts'
import { watchPresence } from '../presence.ts'

const POST = /^(\d{1,4})\s*\+\s*(\d{1,4})$/

/**
 * Kilometres of a post as road maps write it: `154+330` is 330 m after post 154. Posts may be more than a kilometre apart:
 * `191+2980` is 193.98. NaN for any other text.
 */
export function kmOfPost(text: string): number {
  const [, post, metres] = POST.exec(text.trim()) ?? []
  return post === undefined ? Number.NaN : (1000 * Number(post) + Number(metres)) / 1000
}

const SERVICES = 'https://mapas.fomento.gob.es/arcgis/rest/services/MapaTrafico'
/** Years whose maps are layers of the map service; later maps are drawn by scripts only. */
const [FIRST_YEAR, LAST_YEAR] = [2015, 2019]
/** Most features per answer of the service. */
const PAGE = 1000

/** The query of the sections of a year's traffic map: all features from the first on, in an order that is stable across pages. */
function mapQuery(year: number): Get {
  const query = `where=1%3D1&outFields=*&returnGeometry=false&orderByFields=OBJECTID&resultOffset=0&resultRecordCount=${PAGE}&f=json`
  return {
    name: String(year),
    url: `${SERVICES}/Mapa${year}web/MapServer/${LAYER}/query?${query}`,
    maxBytes: 32_000_000,
    timeout_ms: 120_000,
    expects: 'json',
  }
}

/** The attributes of a feature by names of ours. */
interface Attributes {
  /** Trimmed; null if empty. */
  readonly text: (field: Field) => string | null
  /** Null if empty. Throws `FormatError` for a text that is not a number, and for a negative one. */
  readonly number: (field: Field) => number | null
}

/** A name without accents and in small letters. */
function foldedText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Attributes of the geometry, such as its length in some layers. */
const GEOMETRY = /^(st_)?shape/

/** Reads a feature's attributes by meaning: the traffic map's names vary from year to year. Unknown names are counted. */
function attributesOf(feature: Feature, diagnostics: Diagnostics): Attributes {
  const byName = new Map<string, unknown>()
  const known = new Set(Object.values<readonly string[]>(FIELDS).flat())
  for (const [name, value] of Object.entries(feature)) {
    const key = foldedText(name)
    byName.set(key, value)
    if (!known.has(key) && !GEOMETRY.test(key)) diagnostics.unknownCode('imd_section_field', name)
  }
  const valueOf = (field: Field): unknown => {
    for (const name of FIELDS[field]) if (byName.has(name)) return byName.get(name) ?? null
    return null
  }
  return {
    text: (field) => {
      const value = valueOf(field)
      return value === null ? null : String(value).trim() || null
    },
    number: (field) => {
      const number = numberIn(valueOf(field))
      if (number !== null && !(number >= 0)) throw new FormatError(`${FIELDS[field][0]} is no number from 0 on`)
      return number
    },
  }
}

type Section = FeedRow<typeof imdSections>

/** The layer of sections. */
const LAYER = 2
/** Attribute names, folded: full ones, and those that shapefiles cut to ten characters in the layers of some years. */
const FIELDS = {
  object_id: ['objectid', 'fid'],
  province: ['provincia'],
  road: ['nombre'],
  road_type: ['tipo_carretera', 'tipo_de_ca'],
  post_from: ['pk_inicio'],
  post_to: ['pk_fin'],
  length_km: ['longitud'],
  veh_km: ['vh_km_total', 'vh_km_tota'],
  veh_km_light: ['vh_km_ligeros', 'vh_km_lige'],
  veh_km_heavy: ['vh_km_pesados', 'vh_km_pesa'],
  imd: ['imd_total'],
  imd_light: ['imd_ligeros', 'imd_ligero'],
  imd_heavy: ['imd_pesados', 'imd_pesado'],
} as const
type Field = keyof typeof FIELDS
/** By the names of the map, folded. */
const ROAD_TYPES: Readonly<Record<string, string>> = {
  'carretera convencional': 'CONVENTIONAL',
  multicarril: 'MULTILANE',
  autovia: 'EXPRESSWAY',
  'autopista libre': 'MOTORWAY',
  'autopista de peaje': 'TOLL_MOTORWAY',
}
/**
 * Tolerance of vehicle-km against the product: a thousandth, plus the rounding of daily vehicles (half a vehicle) and of
 * vehicle-km.
 */
const TOLERANCE = 0.001
/** Days per year: the real number, or always 365; the edition's own figures decide. */
const YEAR_DAYS = [365, 366]

/**
 * Daily traffic of the sections of the state roads: the section layer of the ministry's traffic map, one map a year, in pages.
 */
export const mitmaImd = defineFeed({
  id: 'mitma_imd',
  source: mitmaTrafficMap,
  into: [imdSections],
  every_s: 7 * 86_400,
  freshBy: 'fetch',
  get: mapQuery(LAST_YEAR),
  archive: { unit: 'year', index: [], files: yearsFrom(FIRST_YEAR, (year) => mapQuery(year).url, LAST_YEAR), next: nextPage, recent: 5 },
  bands: { imd_sections: { atLeast: 20, minRatio: 0.9, maxRatio: 1.2 } },
  *rows(bodies, _clock, diagnostics) {
    // Pages are named 2018, 2018.2 and so on: the answers do not state their year.
    for (const [year, pages] of Map.groupBy(bodies, ({ name }) => name.split('.')[0] as string)) {
      if (!/^\d{4}$/.test(year)) throw new FormatError(`cannot determine the year of the map: the body is named ${year}`)
      const drafts = new Map<number, Draft>()
      for (const { bytes } of pages)
        for (const feature of readFeatures(bytes).features) {
          try {
            const one = draftOf(attributesOf(feature, diagnostics), { year: Number(year), diagnostics })
            if (drafts.has(one.object_id)) diagnostics.warn('a row is on several pages')
            drafts.set(one.object_id, one)
          } catch (error) {
            if (!(error instanceof FormatError)) throw error
            diagnostics.reject(imdSections, error.message, JSON.stringify(feature).slice(0, 300))
          }
        }
      yield batch(imdSections, checked([...drafts.values()]))
    }
  },
})

/** A section before the edition's days per year are known. */
type Draft = Omit<Section, 'year_days' | 'veh_km_check'>

function draftOf(read: Attributes, { year, diagnostics }: { readonly year: number; readonly diagnostics: Diagnostics }): Draft {
  const needed = <T>(value: T | null, name: string): T => {
    if (value === null) throw new FormatError(`no ${name}`)
    return value
  }
  const post = (name: 'post_from' | 'post_to', field: string): { text: string; km: number } => {
    const text = needed(read.text(name), field)
    const km = kmOfPost(text)
    if (Number.isNaN(km)) throw new FormatError(`${field} is no post`)
    return { text, km }
  }
  const [from, to] = [post('post_from', 'pk_inicio'), post('post_to', 'pk_fin')]
  const road = needed(read.text('road'), 'nombre')
  const name = needed(read.text('province'), 'provincia')
  const province_code = provinceByName(name)?.code ?? null
  if (province_code === null) diagnostics.unknownCode('imd_province', name)
  const type = read.text('road_type')
  return {
    edition: String(year),
    object_id: needed(read.number('object_id'), 'OBJECTID'),
    section_id: [road, province_code ?? name, from.text, to.text].join(' '),
    year,
    year_starts_at: dayBounds(`${year}-01-01`).start,
    road,
    road_type: type === null ? null : (lookUp(ROAD_TYPES, foldedText(type)) ?? type),
    province_code,
    post_from: from.text,
    post_to: to.text,
    km_from: from.km,
    km_to: to.km,
    length_km: needed(read.number('length_km'), 'longitud'),
    imd: read.number('imd'),
    imd_light: read.number('imd_light'),
    imd_heavy: read.number('imd_heavy'),
    veh_km: read.number('veh_km'),
    veh_km_light: read.number('veh_km_light'),
    veh_km_heavy: read.number('veh_km_heavy'),
  }
}

/**
 * The sections of an edition, with a check of each one's vehicle-km. Throws `FormatError` if an attribute is missing
 * everywhere, or if most vehicle-km differ from length × days × daily vehicles: then an attribute has another meaning.
 */
function checked(drafts: readonly Draft[]): Section[] {
  const presence = watchPresence<Draft>('sections', {
    'a longitud': ({ length_km }) => length_km > 0,
    'an IMD_total': ({ imd }) => imd !== null,
    'an IMD_pesados': ({ imd_heavy }) => imd_heavy !== null,
    'a vh_km_total': ({ veh_km }) => veh_km !== null,
    'a provincia': ({ province_code }) => province_code !== null,
  })
  for (const draft of drafts) presence.see(draft)
  presence.end()
  const [best] = YEAR_DAYS.map((days) => ({ days, checks: drafts.map((draft) => checkOf(draft, days)) })).sort(
    (one, other) => agreeing(other.checks) - agreeing(one.checks),
  )
  const { days = 365, checks = [] } = best ?? {}
  const stated = checks.filter((check) => check !== 'NOT_STATED').length
  if (2 * agreeing(checks) < stated)
    throw new FormatError(`of ${stated} sections, vehicle-km of ${agreeing(checks)} are length × days × IMD`)
  return drafts.map((draft, at) => ({ ...draft, year_days: days, veh_km_check: checks[at] as string }))
}

const agreeing = (checks: readonly string[]): number => checks.filter((check) => check === 'OK').length

/** Daily vehicles and vehicle-km are whole numbers, rounded or cut. */
function checkOf({ imd, veh_km, length_km }: Draft, days: number): string {
  if (imd === null || veh_km === null || length_km === 0) return 'NOT_STATED'
  const product = length_km * days * imd
  return Math.abs(veh_km - product) <= TOLERANCE * product + 0.5 * length_km * days + 1 ? 'OK' : 'DIFFERS'
}
