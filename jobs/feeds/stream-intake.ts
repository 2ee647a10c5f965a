import type { AnyRow } from '../../lake/schema/dataset.ts'

/** Variables of the configuration that streams read. */
export type StreamSetting = 'AIS_RECEIVERS' | 'AIS_EXCLUDED_MMSI'

/** What a stream filter can use when it starts. */
export interface StreamKnown {
  /** The current state of the feed's datasets, by dataset id. */
  readonly rows: ReadonlyMap<string, readonly AnyRow[]>
  readonly setting: (env: StreamSetting) => string | null
}

/** Selects the frames of a stream to store. It may remember frames; rows depend only on what is stored. */
export interface StreamIntake {
  /** Handles a frame received at an instant (ms); returns the line to store, without its time, or null. */
  take(frame: string, at: number, connection: string): string | null
  /** Dropped frames by reason since the last call; the counts are stored in the file. */
  counts(): Readonly<Record<string, number>>
}
