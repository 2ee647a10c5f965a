import { randomUUID } from 'node:crypto'
import { derivations } from '../../../jobs/derive/catalog.ts'
import { inputsOf } from '../../../jobs/derive/define.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { compactionGroups } from '../../../jobs/upkeep/compact.ts'
import { datasets } from '../../../lake/catalog.ts'
import { SETTINGS } from '../../../lake/config.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { expireSnapshots, removeOldVersions, removeOrphans } from '../../../lake/iceberg/expire.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { partsOf } from '../../../lake/iceberg/manifest-schema.ts'
import { specOf } from '../../../lake/iceberg/metadata.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import type { Bound, DataFile, FieldMetrics, LiveFile, TableField } from '../../../lake/iceberg/types.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import type { MemoryBench } from './measure.ts'

const DAYS = 30
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The first hours of a month, so that the last simulated day closes no month. */
const START = Date.UTC(2026, 2, 1)
/** Bytes that a landing adds, without its metadata. */
const FILE_BYTES = 50_000
const ROWS = 500
/** The intervals of upkeep. */
const [EXPIRE_MS, VERSIONS_MS] = [HOUR_MS, HOUR_MS / 4]
const LONGER_MS = HOUR_MS

/** Tables with commits at the same interval. */
interface Cadence {
  readonly every_ms: number
  readonly datasets: readonly Dataset[]
}

/** Metadata of all tables after a month of landings, compactions and upkeep: metadata files, manifest lists and manifests. */
export const growth: MemoryBench = {
  name: 'growth',
  about: `metadata of all ${datasets.length} tables after ${DAYS} simulated days, each with a commit per landing of its feeds`,
  limit_mb: 500,
  rounds: 1,
  expected: { tables: datasets.length, mb: { min: 1 } },
  async run() {
    let [tables, mb] = [0, 0]
    for (const cadence of cadences(datasets)) {
      const widest = cadence.datasets.reduce((most, one) => (width(one) > width(most) ? one : most))
      mb += ((await simulate(widest, cadence.every_ms)) * cadence.datasets.length) / 1e6
      tables += cadence.datasets.length
    }
    return { tables, mb }
  },
}

const width = (dataset: Dataset): number => Object.keys(tableColumns(dataset)).length

/** Groups tables by commit interval: that of their fastest feed, or that of the inputs from which they are derived. */
export function cadences(of: readonly Dataset[]): Cadence[] {
  const every = new Map<string, number>()
  const seen = (id: string, every_s: number): void => void every.set(id, Math.min(every.get(id) ?? Infinity, every_s))
  for (const feed of feeds) for (const { id } of feed.into) seen(id, Math.max(feed.every_s, SETTINGS.landEvery_s.fallback))
  for (const derived of derivations) for (const { id } of inputsOf(derived)) seen(derived.into.id, every.get(id) ?? 86_400)
  const groups = Object.groupBy(of, ({ id }) => String(every.get(id) ?? 86_400))
  return Object.entries(groups).map(([every_s, datasets = []]) => ({ every_ms: Number(every_s) * 1000, datasets }))
}

/** Bytes of metadata of a table that is landed at an interval, with all commits, compactions and clean-ups of a month. */
async function simulate(dataset: Dataset, every_ms: number): Promise<number> {
  let now = START
  const store: SizedStore = sizedStore(() => now)
  const { table } = await createTable({ store, dataset, properties: { 'source-mode': 'simulated' }, clock: () => now })
  const timeId = tableColumns(dataset)[dataset.time]?.id as number
  const due = { expire: START + EXPIRE_MS, versions: START + VERSIONS_MS, orphans: START + DAY_MS }
  for (; now < START + DAYS * DAY_MS; now += every_ms) {
    const state = (await table.load()) as TableState
    const file = landedFile(dataset, state, { from: now, to: now + every_ms - 1, rows: ROWS })
    await store.put(file.key, Buffer.alloc(0))
    await commit({ table, operation: 'append', add: [{ ...file, bytes: 0 }], properties: () => landed(now), summary: landed(now) })
    await compact(dataset, (await table.load()) as TableState, timeId)
    if (now >= due.expire) {
      await expireSnapshots({ table, now: now - LONGER_MS })
      due.expire += EXPIRE_MS
    }
    if (now >= due.versions) {
      await removeOldVersions({ table })
      due.versions = now + VERSIONS_MS
    }
    if (now >= due.orphans) {
      await removeOrphans({ table })
      due.orphans += DAY_MS
    }
  }
  return store.bytes('/metadata/')
}

/** The fetches of a landing, as stated in the table's properties and the snapshot summary. */
const landed = (at: number): Record<string, string> => ({ 'landed-until.simulated_feed': new Date(at).toISOString() })

async function compact(dataset: Dataset, state: TableState, timeId: number): Promise<void> {
  if (dataset.writeMode === 'replace') return
  for (const { files } of compactionGroups(dataset, await liveFiles(state), { timeId, now: Number.POSITIVE_INFINITY })) {
    const base = (await state.table.load()) as TableState
    const times = files.map((file) => file.metrics.get(timeId) as FieldMetrics)
    const from = times.reduce((least, { lower }) => ((lower as bigint) < least ? (lower as bigint) : least), times[0]?.lower as bigint)
    const to = times.reduce((most, { upper }) => ((upper as bigint) > most ? (upper as bigint) : most), times[0]?.upper as bigint)
    const rows = files.reduce((sum: number, file: LiveFile) => sum + file.rows, 0)
    const one = landedFile(dataset, base, { from: Number(from / 1000n), to: Number(to / 1000n), rows })
    await state.table.store.put(one.key, Buffer.alloc(0))
    await commit({ table: state.table, operation: 'replace', add: [{ ...one, bytes: 0 }], remove: files })
  }
}

/** A data file that is never opened, with bounds for every column. */
function landedFile(dataset: Dataset, state: TableState, of: { from: number; to: number; rows: number }): DataFile {
  const timeId = tableColumns(dataset)[dataset.time]?.id
  const metrics = new Map(
    state.fields.map((field): [number, FieldMetrics] => {
      const [lower, upper] = field.id === timeId ? timeLimits(field, of) : limits(field)
      return [field.id, { values: of.rows, nulls: 0, nans: null, lower, upper, bytes: FILE_BYTES }]
    }),
  )
  const spec = specOf(state.metadata)
  const partition = partsOf(state.metadata, spec).map((part): Bound => {
    if (part.transform === 'month') return new Date(of.from).getUTCFullYear() * 12 + new Date(of.from).getUTCMonth() - 1970 * 12
    return part.transform === 'day' ? Math.floor(of.from / DAY_MS) : (metrics.get(part.sourceId)?.lower ?? 0)
  })
  const key = `${state.table.key}/data/${new Date(of.from).toISOString().slice(0, 7)}-${randomUUID()}.parquet`
  return { key, rows: of.rows, bytes: FILE_BYTES, partition, specId: spec['spec-id'], sortOrderId: 1, metrics }
}

function timeLimits(field: TableField, { from, to }: { from: number; to: number }): [Bound, Bound] {
  if (field.type === 'timestamptz') return [BigInt(from) * 1000n, BigInt(to) * 1000n]
  return field.type === 'date' ? [Math.floor(from / DAY_MS), Math.floor(to / DAY_MS)] : limits(field)
}

/** Bounds as long as those of real rows. */
function limits({ type }: TableField): [Bound, Bound] {
  if (typeof type === 'object' || type === 'binary') return [Buffer.alloc(16), Buffer.alloc(16, 0xff)]
  if (type === 'string') return [randomUUID().slice(0, 16), `z${randomUUID().slice(0, 15)}`]
  if (type === 'boolean') return [false, true]
  const isBig = type === 'long' || type === 'timestamptz' || type.startsWith('decimal')
  const most = Math.floor(Math.random() * 1_000_000)
  return isBig ? [0n, BigInt(most)] : [0, most]
}

/** A store in memory with its own clock, which counts its bytes. */
interface SizedStore extends ObjectStore {
  /** Bytes of the objects whose keys contain a text. */
  bytes(part: string): number
}

/** Opens an empty store; `clock` gives the modification time of its objects, ms. */
function sizedStore(clock: () => number): SizedStore {
  const objects = new Map<string, { readonly body: Buffer; readonly modified_at: number }>()
  const info = (key: string, { body, modified_at }: { body: Buffer; modified_at: number }) => ({ key, bytes: body.length, modified_at })
  const write = (key: string, body: Buffer): void => void objects.set(key, { body, modified_at: clock() })
  const unused = (): never => {
    throw new Error('tables do not use this method')
  }
  return {
    url: 'file:///simulated',
    get: async (key) => objects.get(key)?.body ?? null,
    getStream: unused,
    head: async (key) => {
      const found = objects.get(key)
      return found ? info(key, found) : null
    },
    put: async (key, body) => (Buffer.isBuffer(body) ? write(key, body) : unused()),
    putFile: unused,
    putIfAbsent: async (key, body) => {
      if (objects.has(key)) return false
      if (!Buffer.isBuffer(body)) return unused()
      write(key, body)
      return true
    },
    deleteMany: async (keys) => {
      for (const key of keys) objects.delete(key)
    },
    async *list(prefix) {
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort()
      for (const key of keys) yield info(key, objects.get(key) as { body: Buffer; modified_at: number })
    },
    delete: async (key) => void objects.delete(key),
    location: (key) => `/simulated/service/store/${key}`,
    signedUrl: async () => null,
    now: async () => clock(),
    close: async () => {},
    bytes: (part) => [...objects].reduce((sum, [key, { body }]) => sum + (key.includes(part) ? body.length : 0), 0),
  }
}
