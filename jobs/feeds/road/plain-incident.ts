import type { incidents } from '../../../lake/datasets/road/incidents.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import type { ResolvedPlace } from '../../../lake/places/resolve.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { municipalityName } from './datex-incident.ts'
import { delayOf, type Measure } from './incident-measure.ts'
import { describe } from './incident-sentence.ts'

/** An incident whose source has one record of it, mapped to our codes; times in ms. */
export interface PlainIncident {
  readonly source: string
  readonly source_id: string
  readonly type: string
  readonly cause: string | null
  readonly source_type: string
  readonly record_type: string
  readonly severity: string
  readonly direction: string
  /** Kinds of measure, the leading one first. */
  readonly kinds: readonly string[]
  readonly destination: string | null
  readonly road: string | null
  readonly km: number | null
  readonly km_to: number | null
  readonly place: ResolvedPlace
  readonly to?: Point | null
  readonly starts_at?: number | null
  readonly ends_at?: number | null
  readonly remark: string | null
  readonly reported_at: number | null
  readonly reported_by: string | null
}

/** The row of such an incident: a measure of each kind over its whole length. */
export function plainIncident(one: PlainIncident): FeedRow<typeof incidents> {
  const { source, source_id, type, source_type, cause, severity, direction, road, km, km_to, destination, place, reported_at } = one
  const { to = null, starts_at = null, ends_at = null } = one
  const measures = one.kinds.map((kind) => measureOf(one, kind))
  const municipality = municipalityName(place)
  const province = place.province_code === null ? null : (provinceByCode(place.province_code)?.spanish ?? null)
  const description = describe({
    ...{ type, cause, road, km, km_to, direction, destination, place_name: null, municipality, province, measures },
  })
  return {
    ...{ source, source_id, type, source_type, severity, road, km, km_to, direction, destination },
    ...{ ...place, municipality, to, description: description.es, description_en: description.en },
    ...delayOf(null, measures),
    ...{ measures, created_at: null, starts_at, expected_end_at: ends_at, remark: one.remark, reported_at },
  }
}

function measureOf(one: PlainIncident, kind: string): Measure {
  return {
    ...{ record_id: one.source_id, version: null, record_type: one.record_type, kind, cause: one.cause, severity: one.severity },
    ...{ reported_by: one.reported_by, road: one.road, destination: one.destination, direction: one.direction, compass_direction: null },
    ...{ carriageways: [], lanes: [], from_km: one.km, to_km: one.km_to, from: one.place.position, to: one.to ?? null },
    ...{ municipality: null, province: null, place_name: null, vehicles: [], limits: [], compliance: null, created_at: null },
    starts_at: one.starts_at == null ? null : isoInstant(one.starts_at),
    ends_at: one.ends_at == null ? null : isoInstant(one.ends_at),
  }
}
