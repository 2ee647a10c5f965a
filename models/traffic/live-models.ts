import { ARCHIVE_SOURCE, DETECTOR_SOURCE, LIVE_SOURCE } from '../../lake/datasets/road/traffic-archive.ts'

/** A model of live series: of all sensors of one source, and of the corridors with traffic from it. */
export interface LiveModel {
  readonly id: string
  /** Source of the readings, and the archive that fills its gaps; null if its publisher has none. */
  readonly source: string
  readonly archive: string | null
}

/** The models of live series. Their series are never mixed: sources differ in period and in what a sensor is. */
export const LIVE_MODELS = {
  traffic: { id: 'traffic', source: LIVE_SOURCE, archive: ARCHIVE_SOURCE },
  traffic_detectors: { id: 'traffic_detectors', source: DETECTOR_SOURCE, archive: null },
} as const satisfies Record<string, LiveModel>

/** The live model of an id; null for another model. */
export function liveModel(id: string): LiveModel | null {
  return Object.values(LIVE_MODELS).find((one) => one.id === id) ?? null
}
