import { liveFiles } from '../../lake/iceberg/files.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import { feedsIn, holdSame, landedOf, PART, UNTIL } from '../../lake/landed.ts'
import type { SnapshotPins } from '../../lake/open.ts'
import { type Scan, scan } from '../../lake/query/scan.ts'
import type { Sql } from '../../lake/query/sql.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from '../ingest/context.ts'
import { type Derived, type DerivedPart, inputsOf, type VersionsSpec } from './define.ts'

const HOUR_MS = 3_600_000

/** A part to build: its version, lineage and inputs. */
export interface PlannedPart {
  /** The version of its rows; for a derivation by months, the month. */
  readonly version: string
  readonly lineage: string
  /** A SELECT of its rows, or the part that a model computes them of. */
  readonly rows: Sql | DerivedPart
  /** The time range (ms, half-open) that a model reads of inputs without versions. */
  readonly recent?: { readonly from: number; readonly to: number }
  /** The scanned input rows: the newest fetch among them is the part's. */
  readonly reads: readonly Scan[]
}

/** Pins the states of a derivation's inputs, so that planning and reading use the same state. */
export async function pinInputs(context: IngestContext, derived: Derived): Promise<SnapshotPins> {
  return new Map(
    await Promise.all(inputsOf(derived).map(async (dataset) => [dataset.id, await context.lake.table(dataset).load()] as const)),
  )
}

/** True if the inputs have the same fetches of each of their feeds, see `holdSame`. */
export function isSettled(derived: Derived, pins: SnapshotPins, feeds: readonly Feed[]): boolean {
  return feeds.every(({ id, into }) => {
    const filled = inputsOf(derived).filter((dataset) => into.includes(dataset))
    return holdSame(
      id,
      filled.map((dataset) => pins.get(dataset.id)?.properties ?? {}),
    )
  })
}

/**
 * Coverage of the inputs by feed, in ms: the minimum over all tables that the feed fills, directly or derived. A feed is left
 * out if one of these tables states nothing; `besides` inputs count only if no other states anything. `recent` inputs count up
 * to the last ended hour.
 */
export function coverageOfInputs(derived: Derived, pins: SnapshotPins, feeds: readonly Feed[]): Map<string, number> {
  if (derived.by === 'model') {
    const lately = [...coverageOf(derived.recent ?? [], pins, feeds)].map(([feed, until]) => [feed, hourOf(until)] as const)
    return new Map([...coverageOf(derived.from, pins, feeds), ...lately])
  }
  const besides = derived.by === 'months' ? (derived.fallbackInputs ?? []) : []
  const mainly = coverageOf(
    derived.from.filter((dataset) => !besides.includes(dataset)),
    pins,
    feeds,
  )
  return mainly.size > 0 ? mainly : coverageOf(besides, pins, feeds)
}

function coverageOf(from: readonly Dataset[], pins: SnapshotPins, feeds: readonly Feed[]): Map<string, number> {
  const properties = (dataset: Dataset): Readonly<Record<string, string>> => pins.get(dataset.id)?.properties ?? {}
  const named = new Set([...feeds.map(({ id }) => id), ...from.flatMap((dataset) => statedFeeds(properties(dataset)))])
  return new Map(
    [...named].flatMap((id) => {
      const filled = feeds.find((feed) => feed.id === id)?.into ?? []
      const inputs = from.filter((dataset) => filled.includes(dataset) || landedOf(properties(dataset), id).until !== null)
      const until = inputs.map((dataset) => landedOf(properties(dataset), id).until)
      return until.length === 0 || until.includes(null) ? [] : [[id, Math.min(...(until as number[]))] as const]
    }),
  )
}

/** The start of the hour at an instant: all before it has ended. */
export function hourOf(instant: number): number {
  return Math.floor(instant / HOUR_MS) * HOUR_MS
}

/** The feeds that a table records: by its fetches or, for a derived table, by its coverage. */
function statedFeeds(properties: Readonly<Record<string, string>>): string[] {
  const covered = Object.keys(properties).flatMap((name) => (name.startsWith(UNTIL) ? [name.slice(UNTIL.length)] : []))
  return [...feedsIn(properties), ...covered]
}

/** The parts from the inputs' versions, each with its lineage. */
export async function planVersions(derived: VersionsSpec, pins: SnapshotPins): Promise<PlannedPart[]> {
  const newest = derived.newest ?? []
  const own = derived.from.filter((dataset) => !newest.includes(dataset))
  const beside = await Promise.all(newest.map((dataset) => newestOf(dataset, pins)))
  if (beside.includes(null)) return []
  const added = (beside as Newest[]).map(({ dataset, version, state }) => ` ${dataset.id}:${version}=${state}`).join('')
  const held = await Promise.all(own.map((dataset) => heldVersions(pins.get(dataset.id) ?? null)))
  const [first = new Map<string, string>(), ...others] = held
  const known = [...first.keys()].filter((version) => others.every((one) => one.has(version)))
  const given = (beside as Newest[]).map(({ version }) => version)
  return derived.parts(known.sort()).map((part) => ({
    version: part.version,
    lineage: `${lineageOf(derived, part, held)}${added}`,
    rows: derived.rows(part, given),
    reads: [
      ...own.map((dataset) => scan(dataset, { [dataset.version as string]: { in: part.from } })),
      ...(beside as Newest[]).map(({ dataset, version }) => scan(dataset, { [dataset.version as string]: { eq: version } })),
    ],
  }))
}

/** The versions of a part in some inputs, as text. */
export function lineageOf(
  { revision }: Pick<Derived, 'revision'>,
  { from }: DerivedPart,
  held: readonly ReadonlyMap<string, string>[],
): string {
  const stateOf = (version: string): string => `${version}=${held.map((one) => one.get(version) ?? '').join('/')}`
  return `r${revision} ${from.map(stateOf).join(' ')}`
}

/** The newest version in a table, by name, and its content. */
interface Newest {
  readonly dataset: Dataset
  readonly version: string
  readonly state: string
}

async function newestOf(dataset: Dataset, pins: SnapshotPins): Promise<Newest | null> {
  const held = await heldVersions(pins.get(dataset.id) ?? null)
  const version = [...held.keys()].sort().at(-1)
  return version === undefined ? null : { dataset, version, state: held.get(version) as string }
}

/**
 * The versions in a table, each with the sequence numbers of the commits that wrote its files, and the number of files
 * (`12x3`): a different text means different content.
 */
export async function heldVersions(state: TableState | null): Promise<Map<string, string>> {
  const files = state ? await liveFiles(state) : []
  const versions = Map.groupBy(files, ({ partition }) => String(partition[0]))
  return new Map(
    [...versions].map(([version, theirs]) => {
      const commits = [...new Set(theirs.map(({ sequenceNumber }) => sequenceNumber))].sort((one, other) => one - other)
      return [version, `${commits.join('+')}x${theirs.length}`]
    }),
  )
}

/** A table's record of its parts: lineage by version. */
export function madeParts(properties: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(properties).flatMap(([name, value]) => (name.startsWith(PART) ? [[name.slice(PART.length), value] as const] : [])),
  )
}

/** The property that states the lineage of a part. */
export const partProperty = (version: string): string => `${PART}${version}`

/** The snapshot summary of a built part: its lineage in the order of the inputs, and the input snapshots read. */
export function lineageSummary(derived: Derived, part: PlannedPart, pins: SnapshotPins): Record<string, string> {
  const snapshots = inputsOf(derived).map(({ id }) => `${id}@${pins.get(id)?.snapshotId ?? 'none'}`)
  return { 'derived-part': part.version, 'derived-lineage': part.lineage, 'derived-from': snapshots.join(' ') }
}
