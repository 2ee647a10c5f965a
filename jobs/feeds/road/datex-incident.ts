import type { incidents } from '../../../lake/datasets/road/incidents.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import { type ResolvedPlace, resolvePlace } from '../../../lake/places/resolve.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { Situation, SituationRecord } from '../../formats/datex2.ts'
import type { Diagnostics } from '../define.ts'
import { EFFECTS } from './dgt-codes.ts'
import { causeText, directionOf, kindOf, meaningOf, measureOf, severityOf } from './dgt-measures.ts'
import { delayOf } from './incident-measure.ts'
import { describe } from './incident-sentence.ts'

const CLOSURES: ReadonlySet<string> = new Set(EFFECTS.slice(0, 2).flat())
const CONGESTION: ReadonlySet<string> = new Set(['SLOW_TRAFFIC', 'HEAVY_TRAFFIC', 'QUEUING_TRAFFIC', 'STATIONARY_TRAFFIC'])

/** The incident of a situation of a source: `records` with the leading one first, `created_at` in ms. */
export function incidentOf(
  situation: Situation,
  records: readonly [SituationRecord, ...SituationRecord[]],
  { source, created_at }: { readonly source: string; readonly created_at: number },
  diagnostics: Diagnostics,
): FeedRow<typeof incidents> {
  const [lead] = records
  const { location } = lead
  const measures = records.map((record) => measureOf(record, diagnostics))
  // The measures' positions have been checked and counted: not twice.
  const { from = null, to = null } = measures[0] ?? {}
  const place = placeOf(lead, from, diagnostics)
  const type = typeOf(lead)
  const facts = {
    type,
    cause: meaningOf(lead)?.[0] ?? null,
    road: location.road,
    km: location.from?.km ?? null,
    km_to: location.to?.km ?? null,
    direction: directionOf(lead),
    destination: location.destination,
    place_name: location.placeName,
    municipality: location.from?.municipality ?? null,
    province: place.province_code === null ? null : (provinceByCode(place.province_code)?.spanish ?? null),
    measures,
  }
  const description = describe(facts)
  return {
    source,
    source_id: situation.id,
    type,
    source_type: causeText(lead.cause) ?? lead.type,
    severity: severityOf(situation, lead),
    road: facts.road,
    km: facts.km,
    km_to: facts.km_to,
    direction: facts.direction,
    destination: facts.destination,
    province_code: place.province_code,
    municipality_code: place.municipality_code,
    municipality: facts.municipality ?? municipalityName(place),
    position: place.position,
    to,
    description: description.es,
    description_en: description.en,
    ...delayOf(statedDelay(records), measures),
    measures,
    created_at,
    starts_at: lead.startsAt,
    expected_end_at: lead.endsAt,
    remark: null,
    reported_at: null,
  }
}

/** The municipality of the position, for records that name none. */
export function municipalityName({ municipality_code }: ResolvedPlace): string | null {
  return municipality_code === null ? null : (municipalityByCode(municipality_code)?.name ?? null)
}

/** The largest delay stated by a record, s; null if none does, as in all 670 of January 2026. */
function statedDelay(records: readonly SituationRecord[]): number | null {
  const stated = records.flatMap(({ delay_s }) => (delay_s !== null && delay_s >= 0 ? [delay_s] : []))
  return stated.length === 0 ? null : Math.max(...stated)
}

/** The type from the cause; for management without another cause, and for unknown causes, from the record's content. */
function typeOf(lead: SituationRecord): string {
  const meaning = meaningOf(lead)
  if (meaning?.[1]) return meaning[1]
  const kind = kindOf(lead)
  if (CLOSURES.has(kind)) return 'CLOSURE'
  if (CONGESTION.has(kind)) return 'CONGESTION'
  return meaning ? 'RESTRICTION' : 'OTHER'
}

/** Where a record is, by its own names and position; problems are counted. */
export function placeOf({ location }: SituationRecord, position: Point | null, diagnostics: Diagnostics): ResolvedPlace {
  const { from } = location
  const stated = { province: from?.province ?? null, municipality: from?.municipality ?? null, position }
  return resolvePlace(stated, (problem) => diagnostics.warn(problem))
}
