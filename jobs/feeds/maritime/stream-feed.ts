import { vesselPositions } from '../../../lake/datasets/maritime/vessel-positions.ts'
import { vessels } from '../../../lake/datasets/maritime/vessels.ts'

const ANY = { atLeast: 0, minRatio: 0, maxRatio: Number.MAX_SAFE_INTEGER, mayBeEmpty: true } as const

/** Common properties of both vessel streams. */
export const VESSEL_FEED = {
  into: [vesselPositions, vessels],
  // Late after 40 s of silence, stale after a minute.
  every_s: 20,
  bands: { [vesselPositions.id]: ANY, [vessels.id]: ANY },
  rawRetentionDays: 8,
} as const

/** Length of both streams' files, and their size limit: a minute of 1,000 messages a second is 4 MB of NMEA, 40 MB of JSON. */
export const VESSEL_FILES = { file_s: 60, maxFileBytes: 64_000_000 } as const
