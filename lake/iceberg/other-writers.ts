import { isoInstant } from '../schema/time.ts'
import type { Snapshot } from './metadata.ts'
import type { TableState } from './table.ts'

/** The kept snapshots that other writers made. The id of one of ours is its sequence number, theirs are random. */
export function foreignSnapshots({ metadata }: TableState): Snapshot[] {
  return metadata.snapshots.filter((one) => one['snapshot-id'] !== one['sequence-number'])
}

/** The engine that made a snapshot, by its summary, and when: `spark 3.5.1 (app-1) at 2026-03-01T00:00:00.000Z`. */
export function writerOf({ summary, 'timestamp-ms': at }: Snapshot): string {
  const app = summary['spark.app.id'] ?? summary['app-id']
  const engine = summary['engine-name'] ?? (summary['spark.app.id'] === undefined ? 'an unnamed engine' : 'spark')
  const version = summary['engine-version']
  return `${engine}${version ? ` ${version}` : ''}${app ? ` (${app})` : ''} at ${isoInstant(at)}`
}
