import { ELSEWHERE } from '../../../lake/datasets/fuel/codes.ts'
import { priceIssue } from '../../../lake/datasets/fuel/price-bounds.ts'
import { fuelPrices, fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { miteco } from '../../../lake/datasets/fuel/sources.ts'
import { provinceByCode, provinces } from '../../../lake/places/provinces.ts'
import { type PlaceProblem, resolvePlace } from '../../../lake/places/resolve.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { commaNumber } from '../../formats/numbers.ts'
import { batch, type Diagnostics, defineFeed, type FeedBody, type FeedClock, FormatError, type Get } from '../define.ts'
import { newestTime } from '../newest-time.ts'
import { type Presence, watchPresence } from '../presence.ts'
import { type FuelAnswer, isProvince, readAnswer } from './answer.ts'
import { ALWAYS, type FieldReader, fieldReader, type StationTexts } from './fields.ts'
import { roadPlace } from './road-address.ts'

type Station = FeedRow<typeof fuelStations>
type Price = FeedRow<typeof fuelPrices>

const CURRENT = 'https://energia.serviciosmin.gob.es/ServiciosRestCarburantes/PreciosCarburantes/EstacionesTerrestres/'
const OLDER = 'https://sedeaplicaciones.minetur.gob.es/ServiciosRESTCarburantes/PreciosCarburantes/EstacionesTerrestres/'
const PROVINCE_CODES = provinces.map(({ code }) => code)
/** How many of the 52 provinces must answer when requested one by one. */
const ENOUGH = 50
/** A province's answer that is this much older than the newest is a stale copy, ms. */
const STALE_AFTER = 60 * 60_000

const MARGINS: ReadonlyMap<string, string> = new Map([
  ['D', 'RIGHT'],
  ['I', 'LEFT'],
  ['N', 'NOT_APPLICABLE'],
])
/** Kinds of sale by the publisher's letters. */
export const SALES: ReadonlyMap<string, string> = new Map([
  ['P', 'PUBLIC'],
  ['R', 'RESTRICTED'],
])
/** Who reports the prices, by the publisher's letters. */
export const REPORTERS: ReadonlyMap<string, string> = new Map([
  ['OM', 'WHOLESALE_OPERATOR'],
  ['DM', 'RETAILER'],
])

/** The stored issue of a place problem; problems of names are only counted, because the name itself is stored. */
const ISSUES: Readonly<Record<PlaceProblem, string | null>> = {
  'position is 0, 0': 'ZERO',
  'position is no position': 'UNREADABLE',
  'position lies outside Spain': 'OUTSIDE_SPAIN',
  'latitude and longitude were swapped': 'SWAPPED',
  'position lies in no municipality': 'NO_MUNICIPALITY',
  'position lies outside the province that is named': 'OTHER_PROVINCE',
  'position lies outside the municipality that is named': 'OTHER_MUNICIPALITY',
  'province is not known by that name': null,
  'municipality is not known by that name in its province': null,
}

/**
 * The ministry's register of filling stations with prices. The service sometimes cuts its 12 MB answer off: then the older
 * address is requested, then each province.
 */
export const fuelStationsFeed = defineFeed({
  id: 'fuel_stations',
  source: miteco,
  into: [fuelStations, fuelPrices],
  every_s: 1800,
  plans: [
    { requests: [request('national', CURRENT, 120_000)] },
    { requests: [request('national-older', OLDER, 120_000)] },
    {
      requests: PROVINCE_CODES.map((code) => request(`province-${code}`, `${CURRENT}FiltroProvincia/${code}`, 60_000)),
      enough: ENOUGH,
    },
  ],
  // On 2026-04-29 785 stations with restricted sale left the register (12,187 to 11,408): a person must approve such a drop.
  // Growth is unlimited: keys are unique, and the whole country may follow one province.
  bands: {
    fuel_stations: { atLeast: 100, minRatio: 0.95, maxRatio: 1000 },
    fuel_prices: { atLeast: 100, minRatio: 0.95, maxRatio: 1000 },
  },
  // The largest region has nine of the 52 provinces; if more are missing, the publication is incomplete.
  groups: {
    fuel_stations: { column: 'province_code', mostMissing: 0.2 },
    fuel_prices: { column: 'province_code', mostMissing: 0.2 },
  },
  *rows(bodies, clock, diagnostics) {
    const answers = readAnswers(bodies, clock, diagnostics)
    // Rows of several answers are no newer than the oldest of them.
    diagnostics.publishedAt(Math.min(...answers.map(({ published }) => published)))
    const seen = new Set<string>()
    const found = new Set<string>()
    const presence = watchTexts()
    for (const answer of answers) {
      const fields = fieldReader(answer.name, diagnostics)
      for (const items of answer.batches) {
        const stations: Station[] = []
        const prices: Price[] = []
        for (const given of items) {
          const reason = fields.read(given) ?? refusal(fields.texts, answer, seen)
          if (reason !== null) {
            quarantine(fields, { reason, given }, diagnostics)
            continue
          }
          seen.add(fields.texts.station_id)
          found.add(fields.texts.province_code)
          presence.see(fields.texts)
          stations.push(stationOf(fields.texts, diagnostics))
          addPrices(fields, prices, diagnostics)
        }
        yield batch(fuelStations, stations)
        yield batch(fuelPrices, prices)
      }
      fields.end()
    }
    presence.end()
    const missing = PROVINCE_CODES.filter((code) => !found.has(code))
    for (const code of missing) {
      diagnostics.missingGroup(fuelStations, code)
      diagnostics.missingGroup(fuelPrices, code)
    }
    if (missing.length > 0)
      diagnostics.warn(`no station in ${missing.length} of ${PROVINCE_CODES.length} provinces: ${missing.slice(0, 10).join(' ')}`)
  },
})

function request(name: string, url: string, timeout_ms: number): Get {
  return { name, url, maxBytes: 64_000_000, timeout_ms, expects: 'json' }
}

/** Checks that no text is empty at all stations, over all answers together: a small province may have no postal code. */
function watchTexts(): Presence<StationTexts> {
  const fields = Object.entries(ALWAYS).map(([field, column]) => [field, (texts: StationTexts) => texts[column] !== ''] as const)
  return watchPresence('stations', Object.fromEntries(fields))
}

/** The answers to use: the national one, or those of provinces without bad and stale ones, which count as missing. */
function readAnswers(bodies: readonly FeedBody[], clock: FeedClock, diagnostics: Diagnostics): FuelAnswer[] {
  const single = bodies.filter((body) => !isProvince(body))
  if (single.length > 0) return single.map((body) => readAnswer(body, clock))
  const answers: FuelAnswer[] = []
  for (const body of bodies) {
    try {
      answers.push(readAnswer(body, clock))
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      diagnostics.warn(`${body.name} left out: ${error.message}`)
    }
  }
  const times = answers.map(({ published }) => published)
  const newest = newestTime(times, clock.fetched_at)
  const fresh = answers.filter(({ published }) => newest - published <= STALE_AFTER)
  for (const { name } of answers.filter((answer) => !fresh.includes(answer)))
    diagnostics.warn(`${name} left out: over an hour older than the newest`)
  if (fresh.length < ENOUGH) throw new FormatError(`${fresh.length} good answers for ${PROVINCE_CODES.length} provinces, ${ENOUGH} needed`)
  return fresh
}

/** Returns the rejection reason, or null if the station is usable. */
function refusal(texts: StationTexts, answer: FuelAnswer, seen: ReadonlySet<string>): string | null {
  if (texts.station_id === '') return 'no IDEESS'
  if (!provinceByCode(texts.province_code)) return 'IDProvincia is no province'
  if (answer.province !== null && answer.province !== texts.province_code) return 'in the answer of another province'
  return seen.has(texts.station_id) ? 'IDEESS comes twice in one publication' : null
}

function quarantine(fields: FieldReader, { reason, given }: { reason: string; given: unknown }, diagnostics: Diagnostics): void {
  diagnostics.reject(fuelStations, reason, JSON.stringify(given))
  for (const { priced, text } of fields.prices)
    diagnostics.reject(fuelPrices, reason, `${fields.texts.station_id} ${priced.product} ${text}`)
}

function stationOf(texts: StationTexts, diagnostics: Diagnostics): Station {
  const { province_code, municipality } = texts
  const published = positionOf(texts)
  const issues: (string | null)[] = published ? [] : ['MISSING']
  const { municipality_code, position } = resolvePlace({ provinceCode: province_code, municipality, position: published }, (problem) => {
    diagnostics.warn(`place of a station: ${problem}`)
    issues.push(ISSUES[problem])
  })
  // A position that was put right may still contradict the address.
  const position_issue = ELSEWHERE.find((one) => issues.includes(one)) ?? issues.find((one) => one !== null) ?? null
  const address = withoutComma(texts.address)
  const { road, km } = roadPlace(address)
  return {
    source: miteco.id,
    station_id: texts.station_id,
    brand: texts.brand || null,
    address: address || null,
    road,
    km,
    locality: texts.locality || null,
    postal_code: texts.postal_code || null,
    municipality: municipality || null,
    municipality_code,
    province_code,
    position,
    side: coded(MARGINS, texts.side),
    opening_hours: texts.opening_hours || null,
    sale_type: coded(SALES, texts.sale_type),
    reporter: coded(REPORTERS, texts.reporter),
    bioethanol_pct: commaNumber(texts.bioethanol_pct),
    methyl_ester_pct: commaNumber(texts.methyl_ester_pct),
    position_issue,
  }
}

/** Addresses without a number end in a comma. */
function withoutComma(address: string): string {
  return address.endsWith(',') ? address.replace(/[,\s]+$/, '') : address
}

/** The position as published; null if missing. `resolvePlace` handles invalid and impossible ones (also `n/d`). */
function positionOf({ latitude, longitude }: StationTexts): Point | null {
  if (latitude === '' || longitude === '') return null
  return { lat: commaNumber(latitude) ?? Number.NaN, lon: commaNumber(longitude) ?? Number.NaN }
}

function addPrices(fields: FieldReader, prices: Price[], diagnostics: Diagnostics): void {
  const { station_id, province_code } = fields.texts
  for (const { priced, text } of fields.prices) {
    const { product, price_unit } = priced
    const price = commaNumber(text)
    if (price !== null) prices.push({ station_id, product, price, price_unit, province_code, price_issue: priceIssue(product, price) })
    else diagnostics.warn('a price is marked as absent, where the field has always been empty')
  }
}

/** The meaning of a code, case-insensitive (files of 2017 have `p`); an unknown code is kept, and counted by the row check. */
export function coded(meanings: ReadonlyMap<string, string>, code: string): string | null {
  return code === '' ? null : (meanings.get(code.toUpperCase()) ?? code)
}
