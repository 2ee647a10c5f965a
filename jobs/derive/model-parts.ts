import { UNTIL } from '../../lake/landed.ts'
import type { SnapshotPins } from '../../lake/open.ts'
import { scan } from '../../lake/query/scan.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate } from '../../lake/schema/time.ts'
import type { DerivedPart, ModelSpec } from './define.ts'
import { heldVersions, hourOf, lineageOf, type PlannedPart } from './lineage.ts'
import { heldOf } from './months.ts'

const HOUR_MS = 3_600_000

/**
 * The parts that a model should make from its inputs' versions, each with its lineage. For a model with recent inputs that
 * includes the ended hours (`covered`: coverage by feed, ms) and their content; without any ended hour there is no part.
 */
export async function planModel(derived: ModelSpec, pins: SnapshotPins, covered: ReadonlyMap<string, number>): Promise<PlannedPart[]> {
  const held = new Map(
    await Promise.all(derived.from.map(async (dataset) => [dataset, await heldVersions(pins.get(dataset.id) ?? null)] as const)),
  )
  const known = [...new Set([...held.values()].flatMap((one) => [...one.keys()]))].sort()
  const parts = derived.parts(known, (dataset) => [...(held.get(dataset)?.keys() ?? [])].sort())
  const planned = await Promise.all(parts.map((part) => planPart(derived, { part, pins, held, covered })))
  return planned.filter((one) => one !== null)
}

async function planPart(
  derived: ModelSpec,
  of: {
    readonly part: DerivedPart
    readonly pins: SnapshotPins
    readonly held: ReadonlyMap<Dataset, ReadonlyMap<string, string>>
    readonly covered: ReadonlyMap<string, number>
  },
): Promise<PlannedPart | null> {
  const { part, pins, held } = of
  const own = derived.from.filter((dataset) => part.of?.includes(dataset) ?? true)
  const recent = (derived.recent ?? []).filter((dataset) => part.of?.includes(dataset) ?? true)
  const planned = {
    version: part.version,
    lineage: lineageOf(
      derived,
      part,
      own.map((dataset) => held.get(dataset) as ReadonlyMap<string, string>),
    ),
    rows: part,
    reads: own.map((dataset) => scan(dataset, { [dataset.version as string]: { in: part.from } })),
  }
  if (recent.length === 0) return planned
  const until = Math.min(...recent.map((dataset) => hoursOf(dataset, of)))
  if (!Number.isFinite(until)) return null
  const span = { from: dayBounds(madridDate(until - 1, -1)).start, to: until }
  const states = await Promise.all(recent.map(async (dataset) => `${dataset.id}:${await heldOf(dataset, pins, span)}`))
  return {
    ...planned,
    recent: span,
    lineage: [planned.lineage, ...states, `<${isoInstant(until)}`].join(' '),
    reads: [...planned.reads, ...recent.map((dataset) => scan(dataset, { [dataset.time]: { gte: span.from, lt: span.to } }))],
  }
}

/**
 * End of the newest hour that all feeds of a dataset have completed; infinite if unknown. A feed that stops delays the others by
 * an hour.
 */
function hoursOf(
  dataset: Dataset,
  { pins, covered }: { readonly pins: SnapshotPins; readonly covered: ReadonlyMap<string, number> },
): number {
  const properties = pins.get(dataset.id)?.properties ?? {}
  const until = [...covered].flatMap(([feed, at]) => (properties[`${UNTIL}${feed}`] === undefined ? [] : [hourOf(at)]))
  return Math.max(Math.min(...until), Math.max(...until) - HOUR_MS)
}
