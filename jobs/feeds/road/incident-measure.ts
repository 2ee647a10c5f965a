import { estimatedDelay } from '../../../models/delay/estimate.ts'

/** One record of an incident as the API returns it; absent values are null, empty lists stay empty. */
export type Measure = {
  readonly record_id: string
  readonly version: number | null
  /** The source's type of the record. */
  readonly record_type: string
  /** Code of MEASURE_KINDS, else the source's own. */
  readonly kind: string
  /** Code of INCIDENT_CAUSES, else the source's own `family/detail`. */
  readonly cause: string | null
  readonly severity: string | null
  /** The original reporter. DGT: itself, 112 (an emergency centre) or DGT3.0 (connected vehicles and beacons). SCT: itself. */
  readonly reported_by: string | null
  readonly road: string | null
  readonly destination: string | null
  readonly direction: string
  readonly compass_direction: string | null
  /** Empty if the source does not state it. */
  readonly carriageways: readonly string[]
  readonly lanes: readonly string[]
  readonly from_km: number | null
  readonly to_km: number | null
  readonly from: Coordinates | null
  readonly to: Coordinates | null
  readonly municipality: string | null
  readonly province: string | null
  /** A named place, such as a mountain pass. */
  readonly place_name: string | null
  /** Vehicles it is for; empty: all. */
  readonly vehicles: readonly string[]
  readonly limits: readonly Limit[]
  /** MANDATORY or ADVISORY. */
  readonly compliance: string | null
  readonly created_at: string | null
  readonly starts_at: string | null
  readonly ends_at: string | null
}

/** A limit. SPEED: the highest allowed. Others: the measure applies to vehicles above it. Implausible values are null. */
export type Limit = {
  readonly kind: 'SPEED' | 'WEIGHT' | 'WIDTH' | 'LENGTH' | 'HEIGHT'
  readonly value: number | null
  readonly unit: 'km/h' | 't' | 'm'
}

/** A position. */
export type Coordinates = { readonly lat: number; readonly lon: number }

/** The delay of an incident: as stated by the source (s), else estimated from its records; null without either. */
export function delayOf(
  stated_s: number | null,
  measures: readonly Measure[],
): { readonly delay_minutes: number | null; readonly delay_source: 'reported' | 'estimated' | null } {
  if (stated_s !== null) return { delay_minutes: Math.round(stated_s / 60), delay_source: 'reported' }
  const delay_minutes = estimatedDelay(measures)
  return { delay_minutes, delay_source: delay_minutes === null ? null : 'estimated' }
}
