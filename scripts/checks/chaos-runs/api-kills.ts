import { setTimeout as sleep } from 'node:timers/promises'
import { readRecord } from '../../../api/auth/keys/key-records.ts'
import { readSlots } from '../../../api/auth/keys/slots.ts'
import { readLog } from '../../../lake/requests/log.ts'
import { type UsageDay, usageDaysReader } from '../../../lake/requests/usage.ts'
import { dateAfter, madridDate } from '../../../lake/schema/time.ts'
import { type Answer, type Ask, addresses, clientOf, letOwnersChange, type Owners } from './api-owners.ts'
import { type ApiStage, openApiStage } from './api-stage.ts'
import type { Findings, Scenario } from './scenario.ts'
import { until } from './stage.ts'

/**
 * Longest life of a started process, ms. The last one killed is an exception: it lives until it has written a minute of usage.
 */
const MOST_LIFE_MS = 6000
const MINUTE_MS = 60_000
/** Least time that the last process runs within that minute, ms: its requests are enough for a loss to be noticed. */
const LEAST_OF_MINUTE_MS = 2000
/** Minutes are written within two seconds of their end; a request may be counted shortly after its answer arrives, ms. */
const WRITTEN_AFTER_MS = 3000
const COUNTED_AFTER_MS = 500
const READY_WITHIN_MS = 60_000
/** `/ready` reports that Redis is away within this time, and requests continue without it for this long, ms. */
const DEGRADED_WITHIN_MS = 10_000
const AWAY_MS = 3000
const TIDIED_WITHIN_MS = 70_000
/** Requests per second for each key: below what one process grants by itself. */
const PACE = 2
const KEYS = 10
const PEOPLE = 3
/** Requested paths: the service's own state and landed data, so that an emptied Redis makes no answer impossible. */
const PATHS = ['/api/codes?limit=1', '/api/sources', '/api/incidents/stats?group_by=type', '/api/codes?limt=1']

/** A key of the ENTERPRISE plan. */
interface ChaosKey {
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
}

/** A request whose usage is counted, with its answer or without. */
interface Counted {
  readonly key: string
  readonly answer: Answer
}

/** Kills API processes, some after a while without Redis, while keys are changed and data is requested. */
export const apiKills: Scenario = {
  name: 'api-kills',
  about: 'SIGKILL of the API, and of its Redis for a while, while keys are created, rotated and revoked, and data is requested',
  async run({ folder, rounds }) {
    const stage = await openApiStage(folder, { TRUSTED_PROXIES: '127.0.0.0/8' })
    try {
      return await killAll(stage, rounds)
    } catch (error) {
      process.stderr.write(`${stage.lines.slice(-20).join('\n')}\n`)
      throw error
    } finally {
      await stage.close()
    }
  },
}

async function killAll(stage: ApiStage, rounds: number): Promise<Findings> {
  const problems: string[] = []
  const keys = await Promise.all(Array.from({ length: KEYS }, (_, n) => steadyKey(stage, n)))
  let api = await stage.startApi()
  let comesUp = Promise.withResolvers<void>()
  comesUp.resolve()
  let [isUp, isAlone, isOver, turn] = [true, false, false, 0]
  const ask = clientOf(() => api.url)
  const counted: Counted[] = []
  const asked: Promise<unknown>[] = []
  const killed: number[] = []
  const restarts: number[] = []
  const kills = Math.max(2, rounds)
  const isDegraded = async (): Promise<boolean> => JSON.parse((await ask('/ready')).body).status === 'degraded'
  const steady = setInterval(
    () => {
      if (!isUp) return
      const { id, headers } = keys[turn % KEYS] as ChaosKey
      const path = PATHS[Math.floor(turn++ / KEYS) % PATHS.length] as string
      asked.push(ask(path, { headers }).then((answer) => counted.push({ key: id, answer })))
    },
    1000 / (KEYS * PACE),
  )
  const changing = letOwnersChange(ask, { people: PEOPLE, isOver: () => isOver, up: () => comesUp.promise, isAlone: () => isAlone })
  try {
    for (let kill = 0; kill < kills; kill++) {
      await sleep(kill === kills - 1 ? untilWritten_ms() : Math.random() * MOST_LIFE_MS)
      const losesRedis = kill % 3 === 1
      if (losesRedis) {
        isAlone = true
        await stage.killRedis()
        await until('/ready reports that Redis is away', DEGRADED_WITHIN_MS, isDegraded)
        await sleep(AWAY_MS)
        if (!(await isDegraded())) problems.push('/ready does not report that Redis is away')
      }
      isUp = false
      comesUp = Promise.withResolvers()
      await api.kill()
      killed.push(performance.now())
      if (losesRedis) await stage.startRedis()
      api = await stage.startApi()
      restarts.push(await until('/ready is back', READY_WITHIN_MS, async () => (await ask('/ready')).status === 200))
      isUp = true
      isAlone = false
      comesUp.resolve()
    }
    await sleep(Math.min(rounds, 3) * 1000)
  } finally {
    isOver = true
    clearInterval(steady)
    comesUp.resolve()
    await Promise.allSettled([changing, ...asked])
  }
  const owners = await changing
  problems.push(...owners.problems, ...wrongAnswers(counted, killed))
  if ((await api.stop()) !== 0) problems.push('an API process did not stop with exit code 0')
  api = await stage.startApi()
  problems.push(...(await checkKeys(stage, ask, owners)))
  // A process that starts later completes the unfinished work of a killed one within a minute.
  let undone: readonly string[] = []
  const isDone = async (): Promise<boolean> => {
    undone = await checkObjects(stage)
    return undone.length === 0
  }
  const tidied_ms = await until('', TIDIED_WITHIN_MS, isDone).catch(() => undone)
  if (typeof tidied_ms !== 'number') problems.push(...tidied_ms)
  const usage = await checkUsage({ stage, ask, keys, counted, killed })
  problems.push(...usage.problems)
  if ((await api.stop()) !== 0) problems.push('the last API process did not stop with exit code 0')
  return {
    problems,
    detail: { killed: killed.length, restarts_ms: restarts, tidied_ms, changes: owners.counts, keys: owners.keys.size, ...usage.detail },
  }
}

/** Time until a process that starts now has written a full minute of its work, ms. */
function untilWritten_ms(): number {
  const from = Date.now() + LEAST_OF_MINUTE_MS
  return LEAST_OF_MINUTE_MS + MINUTE_MS - (from % MINUTE_MS) + WRITTEN_AFTER_MS + COUNTED_AFTER_MS
}

/** When the minute in which an answer was counted is certain to be stored, ms by `performance.now()`. */
function writtenBy({ received }: Answer): number {
  const counted = performance.timeOrigin + received + COUNTED_AFTER_MS
  return Math.ceil(counted / MINUTE_MS) * MINUTE_MS + WRITTEN_AFTER_MS - performance.timeOrigin
}

async function steadyKey({ access }: ApiStage, number: number): Promise<ChaosKey> {
  const asked = { email: `steady-${number}@example.org`, label: null, language: 'es', plan: 'ENTERPRISE' } as const
  const { key, id } = await access.accounts.create(asked)
  return { id, headers: { 'X-API-Key': key } }
}

/** Answers without an explanation: every request can be answered, and only a kill prevents an answer. */
function wrongAnswers(counted: readonly Counted[], killed: readonly number[]): string[] {
  const isWrong = ({ answer: { status, sent, received } }: Counted): boolean =>
    status === 0 ? !killed.some((at) => sent <= at && received >= at - 1000) : ![200, 400].includes(status)
  const wrong = counted.filter(isWrong)
  return wrong.map(({ key, answer }) => `${key}: ${answer.status} ${answer.body.slice(0, 300)}`)
}

/** Checks that every key works or fails as its owner was informed, and that no address has more than three. */
async function checkKeys({ access }: ApiStage, ask: Ask, { keys, emails }: Owners): Promise<string[]> {
  const problems: string[] = []
  const address = addresses()
  for (const [key, works] of keys) {
    if (works === null) continue
    const { status, body } = await ask('/api/codes?limit=1', { headers: { ...address(), 'X-API-Key': key } })
    if (status !== (works ? 200 : 401)) problems.push(`a key that ${works ? 'works' : 'was revoked'} gets ${status} ${body.slice(0, 300)}`)
    const { refusal } = await access.keys.lookUp(key)
    if (refusal !== (works ? null : 'revoked'))
      problems.push(`a key that ${works ? 'works' : 'was revoked'} is ${refusal} in another process`)
  }
  for (const email of emails) {
    const working = (await access.accounts.list(await access.accounts.nameOf(email))).filter(({ status }) => status === 'ACTIVE')
    if (working.length > 3) problems.push(`${working.length} keys of one address work`)
  }
  return problems
}

/** Checks that every object of accounts, keys and usage is complete, and that key records agree with the slots. */
async function checkObjects({ access, context: { store } }: ApiStage): Promise<string[]> {
  const problems: string[] = []
  const slots = new Map<string, string>()
  for await (const account of access.accounts.names())
    for (const slot of await readSlots(store, account)) for (const { hash, status } of slot.keys) slots.set(hash, status)
  for await (const { key } of store.list('keys/')) {
    const record = await readRecord(store, key.slice('keys/'.length))
    const status = slots.get(record?.hash ?? '')
    if (status !== undefined && record?.status !== status) problems.push(`the record of ${key} has ${record?.status}, its slot ${status}`)
    slots.delete(record?.hash ?? '')
  }
  if (slots.size > 0) problems.push(`${slots.size} keys have no record`)
  await readLog(store, { from: 0, to: Number.POSITIVE_INFINITY, take: () => null })
  return problems
}

/** Checks that usage differs at most by what a killed process counted in its last minute. */
async function checkUsage(on: {
  readonly stage: ApiStage
  readonly ask: Ask
  readonly keys: readonly ChaosKey[]
  readonly counted: readonly Counted[]
  readonly killed: readonly number[]
}): Promise<Findings> {
  const { stage, ask, keys, counted, killed } = on
  const problems: string[] = []
  const from = madridDate(Date.now(), -1)
  const days = await usageDaysReader(stage.context.lake)({ from, to: dateAfter(dateAfter(madridDate(Date.now()))) })
  let ofKilled = 0
  for (const { id, headers } of keys) {
    const sent = counted.filter(({ key }) => key === id).map(({ answer }) => answer)
    const endOf = ({ received }: Answer): number | undefined => killed.find((at) => received < at)
    const owed = sent.filter((answer) => answer.status !== 0 && writtenBy(answer) <= (endOf(answer) ?? Number.POSITIVE_INFINITY))
    const recorded = requestsOf(days.filter(({ key }) => key === id))
    if (recorded < owed.length || recorded > sent.length)
      problems.push(`usage of ${id}: ${recorded}, its client sent ${sent.length}, of which ${owed.length} must be recorded`)
    const report = JSON.parse((await ask('/api/usage', { headers })).body) as { usage: UsageDay[] }
    if (requestsOf(report.usage) !== recorded) problems.push(`${id} sees ${requestsOf(report.usage)} of ${recorded} requests`)
    ofKilled += owed.filter((answer) => endOf(answer) !== undefined).length
  }
  return { problems, detail: { usage: { sent: counted.length, owed_of_killed: ofKilled } } }
}

/** Requests that are charged to the daily limit, from usage rows. */
function requestsOf(rows: readonly Pick<UsageDay, 'day_units'>[]): number {
  return rows.reduce((sum, row) => sum + row.day_units, 0)
}
