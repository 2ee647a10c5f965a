import pLimit from 'p-limit'
import { type ManifestEntry, type ManifestedFile, metricsOf, STATUS } from './manifest.ts'
import { liveCount, type ManifestFile } from './manifest-list.ts'
import { type PartitionPart, partsOf } from './manifest-schema.ts'
import { primitiveOf, specOf } from './metadata.ts'
import { type DeleteEntry, deleteEntries, mayDelete } from './position-deletes.ts'
import { type Constraint, constraintOf, metricsMayMatch, partitionMayMatch, summaryMayMatch } from './prune.ts'
import { pathsOf, type TableState } from './table.ts'
import type { FieldMetrics, Filter, LiveFile, TableField } from './types.ts'

const REQUESTS = 16

/**
 * The data files that may have rows matching a filter; all without one. Files are pruned by partition (under any spec) and column
 * bounds, never with a match in them. Throws for an unknown column or a value of the wrong type.
 */
export async function liveFiles(state: TableState, filter: Filter = {}): Promise<LiveFile[]> {
  const constraints = constraintsOf(state, filter)
  const manifests = (await state.table.manifests(state)).filter((manifest) => manifest.content === 'data' && liveCount(manifest) > 0)
  const deletes = await deleteEntries(state)
  const limit = pLimit(REQUESTS)
  const kept = await Promise.all(manifests.map((manifest) => limit(() => filesOf(state, { manifest, constraints, deletes }))))
  return kept.flat()
}

/** A filter's condition on one field. */
interface FieldConstraint {
  readonly field: TableField
  readonly type: string
  readonly constraint: Constraint
}

function constraintsOf(state: TableState, filter: Filter): FieldConstraint[] {
  return Object.entries(filter).flatMap(([name, conditions]) => {
    const field = state.fields.find((one) => one.name === name)
    if (!field)
      throw new Error(`table ${state.table.key} has no column ${name}; there are ${state.fields.map((one) => one.name).join(', ')}`)
    const type = primitiveOf(field)
    const constraint = type === null ? null : constraintOf(name, type, conditions)
    return type !== null && constraint ? [{ field, type, constraint }] : []
  })
}

async function filesOf(
  state: TableState,
  of: { readonly manifest: ManifestFile; readonly constraints: readonly FieldConstraint[]; readonly deletes: readonly DeleteEntry[] },
): Promise<LiveFile[]> {
  const { manifest, constraints, deletes } = of
  const { specId } = manifest
  const parts = partsOf(state.metadata, specOf(state.metadata, manifest.specId))
  const byPart = parts.flatMap((part, at) =>
    constraints.flatMap(({ field, constraint }) => (field.id === part.sourceId ? [{ part, at, constraint }] : [])),
  )
  for (const { part, at, constraint } of byPart) {
    const summary = manifest.partitions[at]
    if (summary && !summaryMayMatch(constraint, part, summary)) return []
  }
  const files: LiveFile[] = []
  for (const entry of await state.table.entries(state, manifest))
    if (entry.status !== STATUS.DELETED && mayMatch(entry.file, byPart, constraints))
      files.push(liveFile(entry, { state, specId, deletes: deletes.filter((one) => mayDelete(state, one, { entry, specId })) }))
  return files
}

function mayMatch(
  file: ManifestedFile,
  byPart: readonly { readonly part: PartitionPart; readonly at: number; readonly constraint: Constraint }[],
  constraints: readonly FieldConstraint[],
): boolean {
  return (
    byPart.every(({ part, at, constraint }) => partitionMayMatch(constraint, part, file.partition[at] ?? null)) &&
    constraints.every(({ field, type, constraint }) => metricsMayMatch(constraint, type, field.id, file))
  )
}

/** A file as callers see it; its metrics are decoded on first use. */
function liveFile(
  { file, snapshotId, sequenceNumber }: ManifestEntry,
  { state, specId, deletes }: { readonly state: TableState; readonly specId: number; readonly deletes: readonly DeleteEntry[] },
): LiveFile {
  const { key, rows, bytes, partition, sortOrderId } = file
  let metrics: ReadonlyMap<number, FieldMetrics> | null = null
  return {
    key,
    rows,
    bytes,
    partition,
    sortOrderId,
    specId,
    snapshotId: BigInt(snapshotId),
    sequenceNumber: Math.max(sequenceNumber, ...deletes.map((one) => one.sequenceNumber)),
    ...(deletes.length > 0 && {
      deletes: { location: pathsOf(state).toLocation(key), files: deletes.map((one) => ({ key: one.file.key, bytes: one.file.bytes })) },
    }),
    get metrics() {
      metrics ??= metricsOf(file, state.fields)
      return metrics
    },
  }
}
