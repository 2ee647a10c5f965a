import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { readChecksum } from '../../../lake/iceberg/checksums.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { specOf } from '../../../lake/iceberg/metadata.ts'
import { nearestSnapshot } from '../../../lake/iceberg/retention.ts'
import { stateAt, type TableState } from '../../../lake/iceberg/table.ts'
import type { Bound, LiveFile } from '../../../lake/iceberg/types.ts'
import { fieldOf } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { snapshotExpired } from './lake-state.ts'

const DAY_MS = 86_400_000
const REQUESTS = 16
/** As a size: `max` reserves their room at once. */
const MAX_CHECKSUMS = 50_000

/** Signed URLs change once per step of this many seconds, so that equal requests get equal answers for a while. */
export const LINK_STEP_S = 300

/** A data file of a snapshot, as the manifest of an export lists it. Times are those of its rows, in ms. */
export interface ExportFile {
  readonly name: string
  readonly isRemoved: boolean
  readonly rows: number
  readonly bytes: number
  readonly sha256: string | null
  readonly earliest_row_at: number | null
  readonly latest_row_at: number | null
  /** Values of the partition columns, named as the fields of the Iceberg spec, such as `observed_at_month=2026-01`. */
  readonly partition: string
  /** When the snapshot that added it was committed, ms since the epoch; null if that snapshot has expired. */
  readonly added_at: number | null
}

/**
 * Selects files of a snapshot: by a period of their rows (ms, half-open), and by a snapshot since which they were added or
 * removed.
 */
export interface FileSelection {
  readonly from: number | null
  readonly to: number | null
  readonly since: string | null
}

const checksums = new LRUCache<string, string>({ maxSize: MAX_CHECKSUMS, sizeCalculation: () => 1 })

/**
 * Returns the data files of a table's current snapshot, ordered by name. With `since`, returns those added and those removed
 * since that snapshot. Throws `InvalidParam` for a snapshot that the table never had, and `snapshot-expired` for an expired one.
 */
export async function exportFiles(dataset: Dataset, state: TableState, { from, to, since }: FileSelection): Promise<ExportFile[]> {
  const filter = { [dataset.time]: { ...(from === null ? {} : { gte: from }), ...(to === null ? {} : { lt: to }) } }
  const current = await liveFiles(state, filter)
  const before = since === null ? [] : await liveFiles(stateAt(state, snapshotOf(dataset, state, since)), filter)
  const [known, there] = [new Set(before.map(({ key }) => key)), new Set(current.map(({ key }) => key))]
  const described = (file: LiveFile, isRemoved: boolean): Promise<ExportFile> => describe(dataset, state, { file, isRemoved })
  const limit = pLimit(REQUESTS)
  const files = await Promise.all([
    ...current.filter(({ key }) => !known.has(key)).map((file) => limit(() => described(file, false))),
    ...before.filter(({ key }) => !there.has(key)).map((file) => limit(() => described(file, true))),
  ])
  return files.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Returns the name of the current snapshot, for a later `since`; null for a table without data. */
export function snapshotName(state: TableState): string | null {
  return state.snapshotId === null ? null : String(state.snapshotId)
}

function snapshotOf(dataset: Dataset, state: TableState, since: string): bigint {
  const kept = state.metadata.snapshots.map((snapshot) => String(snapshot['snapshot-id']))
  if (kept.includes(since)) return BigInt(since)
  if (/^\d{1,19}$/.test(since) && BigInt(since) < (state.snapshotId ?? 0n)) {
    const nearest = nearestSnapshot(state.metadata, BigInt(since))
    throw snapshotExpired('updated_since', nearest && String(nearest['snapshot-id']))
  }
  throw new InvalidParam(`expected a snapshot of ${dataset.id}, as a manifest named it`, { parameter: 'updated_since' })
}

async function describe(
  dataset: Dataset,
  state: TableState,
  { file, isRemoved }: { readonly file: LiveFile; readonly isRemoved: boolean },
): Promise<ExportFile> {
  const added = state.metadata.snapshots.find((snapshot) => BigInt(snapshot['snapshot-id']) === file.snapshotId)
  const { lower = null, upper = null } = file.metrics.get(fieldOf(dataset, dataset.time).id) ?? {}
  return {
    name: fileName(file.key),
    isRemoved,
    rows: file.rows,
    bytes: file.bytes,
    sha256: isRemoved ? null : await checksumOf(state, file.key),
    earliest_row_at: instantOf(lower),
    latest_row_at: instantOf(upper),
    partition: partitionText(state, file),
    added_at: added?.['timestamp-ms'] ?? null,
  }
}

/** Returns the name of a data file: the part after the table's `data/`. */
function fileName(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1)
}

/** Converts a limit in µs to an instant in ms; null if the file states none. */
function instantOf(limit: Bound | null): number | null {
  return typeof limit === 'bigint' ? Number(limit) / 1000 : null
}

async function checksumOf({ table }: TableState, key: string): Promise<string | null> {
  const known = checksums.get(key)
  if (known) return known
  const found = await readChecksum(table.store, key)
  if (found) checksums.set(key, found)
  return found
}

function partitionText(state: TableState, file: LiveFile): string {
  const { fields } = specOf(state.metadata, file.specId)
  return fields.map(({ name, transform }, at) => `${name}=${partitionValueText(transform, file.partition[at] ?? null)}`).join('/')
}

function partitionValueText(transform: string, value: Bound | null): string {
  if (value === null) return 'null'
  if (transform === 'day') return new Date(Number(value) * DAY_MS).toISOString().slice(0, 10)
  return transform === 'month' ? new Date(Date.UTC(1970, Number(value))).toISOString().slice(0, 7) : String(value)
}
