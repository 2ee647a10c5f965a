import { createHash } from 'node:crypto'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeCommit } from '../../../jobs/derive/commit.ts'
import { filledBy } from '../../../jobs/derive/define.ts'
import { riskDerived } from '../../../jobs/derive/safety/risk.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join as joined, sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { dayOf } from '../../../models/risk/accidents.ts'
import { isHeld } from '../../../models/risk/split.ts'
import { readLog, readVersion } from '../../../models/run/files.ts'
import { diceOf } from '../../stand-in/random.ts'
import { landRows } from '../scratch/lake.ts'
import { startProcess } from './children.ts'
import { type ChaosContext, openContext } from './context.ts'
import { MODEL_NOW, MODEL_STEPS, type ModelOrder, type ModelReport } from './model-order.ts'
import { removeLeftOvers } from './oracle.ts'
import type { Scenario } from './scenario.ts'
import { startOwnRedis } from './stage.ts'
import { checkTable } from './whole.ts'

/** Random kills in each round, after one kill at each boundary. */
const RANDOM_KILLS = 2
/** A boundary of tables is reached once for each table of the model, a boundary of its files once. */
const TABLES = filledBy(riskDerived)
const ACCIDENTS = 1500
/** Editions that a round lands: one whose model is promoted, and one whose model is refused. */
const KINDS = ['better', 'worse'] as const
type Kind = (typeof KINDS)[number]
type Where = Omit<ModelOrder, 'halt'>

/** A model that is killed while it trains, stores and lands, and is then run again, has the same result as an undisturbed one. */
export const modelKills: Scenario = {
  name: 'models',
  about:
    'SIGKILL of models at random and at each boundary: the same tables, log and versions as of an undisturbed one, and never half a version',
  async run({ folder, rounds }) {
    const redis = await startOwnRedis(folder)
    const commit = await codeCommit()
    const where = (name: string): Where => ({ folder: join(folder, name), redisUrl: redis.url, commit })
    const problems: string[] = []
    const killed: Record<string, number> = {}
    try {
      await landEdition(where('first'), 2023, 'better')
      await toItsEnd(where('first'))
      const before = await contentOf(where('first'))
      const alone = {} as Record<Kind, { readonly after: Content; readonly ms: number }>
      for (const kind of KINDS) {
        const { ms } = await toItsEnd(await copyOf(where('first'), where(`alone-${kind}`), kind))
        alone[kind] = { after: await contentOf(where(`alone-${kind}`)), ms }
        problems.push(...alone[kind].after.problems)
      }
      for (let round = 0; round < rounds; round++) {
        const kind = KINDS[round % KINDS.length] as Kind
        const { after, ms } = alone[kind]
        const order = await copyOf(where('first'), where(`round-${round}`), kind)
        const report = (found: readonly string[]): void => void problems.push(...found.map((one) => `round ${round}: ${one}`))
        for (const halt of haltsOf(round)) {
          const name = await killOne({ ...order, halt }, ms)
          if (name !== null) killed[name] = (killed[name] ?? 0) + 1
          report(halvesOf(await contentOf(order), { before, after }))
        }
        await toItsEnd(order)
        const { result } = await toItsEnd(order)
        if (result.made.length > 0) report([`${result.made.join(', ')} was built again from the same inputs`])
        const found = await contentOf(order, { isOver: true })
        report(found.problems)
        for (const [name, digest] of found.digests)
          if (digest !== after.digests.get(name)) report([`${name} differs from an undisturbed run`])
        if (found.log !== after.log) report([`the log is ${found.log}, that of an undisturbed run ${after.log}`])
      }
      return { problems, detail: { states: Object.fromEntries(KINDS.map((kind) => [kind, alone[kind].after.state])), killed } }
    } finally {
      await redis.stop()
    }
  },
}

/** One halt at each boundary (a different table in each round), then some random ones. */
function haltsOf(round: number): ModelOrder['halt'][] {
  const isOfTables = (at: string): boolean => at.endsWith('-written')
  const halts = MODEL_STEPS.map((at) => ({ at, nth: isOfTables(at) ? 1 + (round % TABLES.length) : 1 }))
  return [...halts, ...Array.from({ length: RANDOM_KILLS }, () => null)]
}

/** Runs a model until it is killed; null if it ended before. */
async function killOne(order: ModelOrder, ms: number): Promise<string | null> {
  const process = startProcess<ModelReport>('modeller.ts', order)
  await process.until('it was open', (messages) => messages.includes('open'))
  if (!order.halt) {
    await sleep(Math.random() * ms)
    process.signal('SIGKILL')
  }
  return (await process.ended) === null ? (order.halt?.at ?? 'at random') : null
}

async function toItsEnd(where: Where): Promise<{ readonly result: ModelReport; readonly ms: number }> {
  const process = startProcess<ModelReport>('modeller.ts', { ...where, halt: null })
  await process.until('it was open', (messages) => messages.includes('open'))
  const began = performance.now()
  const code = await process.ended
  const result = process.told.find((one) => typeof one !== 'string')
  if (code !== 0 || !result) throw new Error(`an undisturbed model ended with ${code ?? 'a signal'}`)
  return { result, ms: performance.now() - began }
}

async function copyOf(from: Where, to: Where, kind: Kind): Promise<Where> {
  await cp(from.folder, to.folder, { recursive: true })
  await landEdition(to, 2024, kind)
  return to
}

function open(where: Where): Promise<ChaosContext> {
  return openContext({ ...where, publishers: null, now: () => MODEL_NOW })
}

async function landEdition(where: Where, year: number, kind: Kind): Promise<void> {
  const context = await open(where)
  try {
    await prepareTables(context, [animalAccidents])
    await landRows(context.lake, animalAccidents, accidents(year, kind))
  } finally {
    await context.close()
  }
}

/**
 * Accidents of a year, mostly on one section and in the evening; `worse` applies this only to the weeks that evaluate a model.
 */
function accidents(year: number, kind: Kind): AnyRow[] {
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

/** The content of a model: its tables, its log and its versions. */
interface Content {
  /** Digests of the rows of each table, by table id. */
  readonly digests: ReadonlyMap<string, string>
  /** As JSON. */
  readonly log: string
  /** The status in the newest entry of the log, and its reason. */
  readonly state: string
  readonly problems: readonly string[]
}

async function contentOf(where: Where, { isOver = false } = {}): Promise<Content> {
  const context = await open(where)
  try {
    const problems = isOver ? (await removeLeftOvers(context, TABLES)).problems.slice() : []
    const digests = new Map<string, string>()
    for (const dataset of TABLES) {
      problems.push(...(await checkTable(context, dataset)))
      const hash = createHash('sha256')
      const names = joined(Object.keys(dataset.columns).map((name) => column(dataset, name)))
      for await (const batch of context.lake.stream(sql`SELECT ${names} FROM ${scan(dataset)} ORDER BY ALL`))
        for (const row of batch) hash.update(JSON.stringify(row))
      digests.set(dataset.id, hash.digest('hex'))
    }
    const log = await readLog({ store: context.store, now: context.now, commit: null }, 'risk')
    // All versions that the log names exist and are complete.
    for (const { model_version } of log)
      if (model_version !== null) await readVersion({ store: context.store, now: context.now, commit: null }, 'risk', model_version)
    const last = log.at(-1)
    return { digests, log: JSON.stringify(log), state: `${last?.state}: ${last?.reason}`, problems }
  } finally {
    await context.close()
  }
}

/** Contents that equal neither the state before nor the state after. */
function halvesOf(found: Content, { before, after }: { readonly before: Content; readonly after: Content }): string[] {
  const halves = [...found.digests].filter(([name, digest]) => digest !== before.digests.get(name) && digest !== after.digests.get(name))
  const logs = [before.log, after.log].includes(found.log) ? [] : [`the log is ${found.log}`]
  return [...found.problems, ...halves.map(([name]) => `${name} is half a version`), ...logs]
}
