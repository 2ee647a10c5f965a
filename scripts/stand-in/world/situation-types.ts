import type { Road, RoadPoint } from './road-network.ts'

/** Severity in DATEX II's grades. */
export type Severity = 'low' | 'medium' | 'high' | 'highest'

/** The affected direction of a road. */
export type RoadDirection = 'positive' | 'negative' | 'both'

/** The measure of a record: its DATEX II type, its detailed element and that element's value. */
export interface Measure {
  readonly type: string
  readonly element: string
  readonly value: string
  /** Most severe grades first; null if such records often have none. */
  readonly severities: readonly (readonly [Severity | null, number])[]
}

/** Cause type, the name of the detailed element and its value. */
export type Cause = readonly [type: string, element: string, value: string]

/** One record of a situation, in its state at one instant. Instants in ms since the epoch. */
export interface SituationRecord {
  readonly id: number
  readonly version: number
  readonly reference: string | null
  readonly createdAt: number
  readonly versionedAt: number
  readonly startsAt: number
  readonly endsAt: number | null
  readonly severity: Severity | null
  readonly measure: Measure
  readonly road: Road
  readonly destination: string | null
  readonly pass: string | null
  /** Its position: two points of a stretch, or one. */
  readonly from: RoadPoint
  readonly to: RoadPoint | null
  readonly direction: RoadDirection
  readonly compass: string
  /** Other kinds of carriageway besides the affected one. */
  readonly besides: string | null
  /** Lane, as in `laneUsage`; `+name` is an extended value; null if the record names no carriageway. */
  readonly lane: string | null
  readonly isMandatory: boolean | null
  readonly vehicle: string
  readonly limit: VehicleLimit | null
  readonly speed_kmh: number | null
}

/** Vehicles above a length or width (m) or weight (t). */
export interface VehicleLimit {
  readonly element: 'lengthCharacteristic' | 'widthCharacteristic' | 'grossWeightCharacteristic'
  readonly value: number
}

/** Records that belong together. */
export interface Situation {
  readonly id: number
  readonly source: 'DGT' | 'DGT3.0' | '112'
  readonly cause: Cause
  readonly records: readonly SituationRecord[]
}
