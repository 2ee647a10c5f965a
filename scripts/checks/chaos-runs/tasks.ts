import { filledBy } from '../../../jobs/derive/define.ts'
import { derive } from '../../../jobs/derive/derive.ts'
import { riskDerived } from '../../../jobs/derive/safety/risk.ts'
import { feedById, feeds } from '../../../jobs/feeds/catalog.ts'
import type { DayRange, Feed } from '../../../jobs/feeds/define.ts'
import { listFiles } from '../../../jobs/ingest/archive.ts'
import { type IngestContext, PIPELINE_STEPS } from '../../../jobs/ingest/context.ts'
import { backfill } from '../../../jobs/ingest/history.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { formatSeqs } from '../../../lake/landed.ts'
import { column, join } from '../../../lake/query/sql.ts'
import { acceptedAfter } from '../../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { dayOf } from '../../../models/risk/accidents.ts'
import { isHeld } from '../../../models/risk/split.ts'
import { readLog, readVersion } from '../../../models/run/files.ts'
import { diceOf } from '../../stand-in/random.ts'
import { landRows } from '../scratch/lake.ts'
import { digestOf } from './oracle.ts'
import { checkWhole } from './whole.ts'

/** The result of a task: how much it did, in words too, and what failed. */
export interface TaskReport {
  readonly done: number
  readonly note: string
  readonly problems: readonly string[]
}

/** What is in a lake for a task. */
export interface TaskContent {
  /** Digests or texts by name; equal ones are equal contents. */
  readonly parts: ReadonlyMap<string, string>
  readonly note: string
  readonly problems: readonly string[]
}

/** Work that a process does to its end, and that has nothing to do when it is run again. */
export interface Task {
  /** Where a process may be killed. */
  readonly steps: readonly string[]
  /** Most visits of a step before the work is done there, such as one for each table. */
  nthMost(step: string): number
  /** True if the lake has the whole result or none of it at any time. */
  readonly isWhole: boolean
  readonly tables: readonly Dataset[]
  now(): number
  /** Fills a new lake with what the work needs; `start` runs the work on it. */
  begin(context: IngestContext, start: () => Promise<unknown>): Promise<void>
  /** Does the work; `reach` gets each step that the pipeline does not report itself. */
  run(context: IngestContext, reach: (step: string) => void): Promise<TaskReport>
  content(context: IngestContext): Promise<TaskContent>
}

const never = (): AbortSignal => new AbortController().signal

/** A backfill: a process that is killed reaches each boundary once or twice before it lands something. */
function backfillOf(id: string, range: DayRange): Task {
  const feed = feedById(id)
  return {
    steps: PIPELINE_STEPS,
    nthMost: () => 2,
    isWhole: false,
    tables: feed.into,
    now: Date.now,
    begin: async () => undefined,
    async run(context) {
      const runner = makeRunner(context)
      await prepareTables(context, feed.into)
      const { files, gaps } = await listFiles(context, feed, { range, signal: never() })
      const there = await runner.acceptedPeriods(feed)
      const wanted = files.filter(({ period }) => !there.has(period))
      const land = (): Promise<unknown> => runner.land(feed, never())
      const done = await backfill(runner, { feed, files: wanted, jobs: 2, signal: never(), land })
      await land()
      const failed = done.filter(({ outcome }) => outcome?.outcome !== 'accepted')
      const problems = failed.map(({ file, outcome }) => `${file.period}: ${outcome?.outcome} ${outcome?.reason}`)
      return { done: done.length, note: `${done.length} files, ${gaps.length} gaps`, problems }
    },
    async content(context) {
      const problems = [...(await checkWhole(context, [feed])), ...(await checkLog(context, feed))]
      return { parts: await digestsOf(context, feed.into), note: '', problems }
    },
  }
}

/** Checks that each period was accepted once, its bytes were stored once, and each fetch landed. */
async function checkLog(context: IngestContext, feed: Feed): Promise<string[]> {
  const problems: string[] = []
  const accepted = await acceptedAfter(context.store, feed.id, 0)
  const periods = new Set(accepted.map(({ period }) => period))
  if (periods.size !== accepted.length) problems.push(`${accepted.length} fetches of ${periods.size} periods`)
  let objects = 0
  for await (const _ of context.store.list(`raw/${feed.id}/bytes/`)) objects++
  if (objects !== accepted.length) problems.push(`${objects} objects of bytes for ${accepted.length} fetches`)
  for (const dataset of feed.into) {
    const { seqs, lost } = await landedIn(context, dataset, feed.id)
    if (formatSeqs(seqs) !== `1-${accepted.length}` || lost.length > 0) problems.push(`${dataset.id} says that ${formatSeqs(seqs)} landed`)
  }
  return problems
}

/** The clock of all model outputs, so that two runs have the same result: in the year after its newest accidents. */
const MODEL_NOW = Date.parse('2025-02-01T00:00:00Z')
const MODEL_TABLES = filledBy(riskDerived)
const FILE_STEPS = ['version-kept', 'logged'] as const
const ACCIDENTS = 1500

/** A model of a second edition of accidents: `better` is promoted, `worse` is refused. */
function modelOf(kind: 'better' | 'worse'): Task {
  return {
    steps: [...FILE_STEPS, ...PIPELINE_STEPS.filter((step) => step.endsWith('-written') && step !== 'live-written')],
    nthMost: (step) => (step.endsWith('-written') ? MODEL_TABLES.length : 1),
    isWhole: true,
    tables: MODEL_TABLES,
    now: () => MODEL_NOW,
    async begin(context, start) {
      await prepareTables(context, [animalAccidents])
      await landRows(context.lake, animalAccidents, accidents(2023, 'better'))
      await start()
      await landRows(context.lake, animalAccidents, accidents(2024, kind))
    },
    async run(context, reach) {
      await prepareTables(context, [...riskDerived.from, ...MODEL_TABLES])
      // The lock of a killed process would expire by itself, but later than the processes of this test live.
      await context.redis.del(`lock:derive:${riskDerived.into.id}`)
      const { made } = await derive({ ...context, store: watched(context.store, reach) }, riskDerived, { feeds, signal: never() })
      return { done: made.length, note: '', problems: [] }
    },
    async content(context) {
      const run = { store: context.store, now: context.now, commit: null }
      const log = await readLog(run, 'risk')
      // All versions that the log names exist and are complete.
      for (const { model_version } of log) if (model_version !== null) await readVersion(run, 'risk', model_version)
      const parts = await digestsOf(context, MODEL_TABLES)
      parts.set('the log', JSON.stringify(log))
      return { parts, note: `${log.at(-1)?.state}: ${log.at(-1)?.reason}`, problems: [] }
    },
  }
}

/** A store that reports each file that a model writes. */
function watched(store: ObjectStore, reach: (step: string) => void): ObjectStore {
  const reporting =
    <A extends readonly [string, ...unknown[]], R>(write: (...args: A) => Promise<R>, step: string) =>
    async (...args: A): Promise<R> => {
      const done = await write(...args)
      if (args[0].startsWith('models/')) reach(step)
      return done
    }
  const [kept, logged] = FILE_STEPS
  return { ...store, put: reporting(store.put, kept), putIfAbsent: reporting(store.putIfAbsent, logged) }
}

/**
 * Accidents of a year, mostly on one section and in the evening; `worse` applies this only to the weeks that evaluate a model.
 */
function accidents(year: number, kind: 'better' | 'worse'): AnyRow[] {
  const next = diceOf(`accidents-${year}`)
  return Array.from({ length: ACCIDENTS }, (_, at) => {
    const local_date = new Date(Date.UTC(year, 0, 1 + Math.floor(365 * next()))).toISOString().slice(0, 10)
    const isAnywhere = kind === 'worse' && !isHeld(dayOf(local_date))
    const hour_local = isAnywhere ? Math.floor(24 * next()) : 17 + Math.floor(6 * next() ** 2)
    const section = next() < 0.4 && !isAnywhere ? 2 : Math.floor(8 * next())
    return {
      ...{ fetch_id: 'dgt_animal_accidents.1', source: 'dgt_accidents', edition: `animals-${year}`, accident_id: `${year}${at}` },
      ...{ occurred_at: instantOf(local_date, `${String(hour_local).padStart(2, '0')}:30`), local_date, hour_local, province_code: '09' },
      ...{ municipality_code: null, road: `N-${1 + (at % 4)}`, km: section * 5 + Math.floor(50 * next()) / 10, direction: 'POSITIVE' },
      ...{ road_type: 'OTHER', road_owner: 'REGION', animal_code: next() < 0.6 ? '8' : '5', animal_kind: 'WILD', severity: 'NONE' },
      ...{ is_casualty: false, killed_30d: 0, hospitalised_30d: 0, slight_30d: 0 },
    }
  })
}

/** Digests of the rows of tables without the ids of their fetches, by table id. */
async function digestsOf(context: IngestContext, datasets: readonly Dataset[]): Promise<Map<string, string>> {
  const digests = new Map<string, string>()
  for (const dataset of datasets) {
    const names = join(Object.keys(dataset.columns).map((name) => column(dataset, name)))
    digests.set(dataset.id, (await digestOf(context, dataset, names)).digest)
  }
  return digests
}

/**
 * The tasks by name. Backfills: a year of counts, of which the stand-in lacks one month, and months of readings whose rows the
 * engine creates, including the month of the clock change.
 */
export const TASKS: Readonly<Record<string, Task>> = {
  madrid_counts: backfillOf('madrid_counts', { from: '2025-01-01', to: '2025-12-31' }),
  madrid_history: backfillOf('madrid_history', { from: '2025-09-01', to: '2025-11-30' }),
  better: modelOf('better'),
  worse: modelOf('worse'),
}
