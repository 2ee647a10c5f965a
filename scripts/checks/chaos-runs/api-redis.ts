import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Plan } from '../../../api/auth/keys/slots.ts'
import { DEFAULT_PLANS } from '../../../api/auth/plans.ts'
import { OUTCOMES } from '../../../lake/requests/log.ts'
import { usageDaysReader } from '../../../lake/requests/usage.ts'
import { dateAfter, madridDate } from '../../../lake/schema/time.ts'
import { Reference } from './api-answers.ts'
import { type Ask, asksOf, idsIn, listsOfThings, queriesOf } from './api-asks.ts'
import { type Answer, type Client, openClient, openLoop, quantiles, underLoad } from './api-client.ts'
import { byTurns, type ChaosKey, type Lane, mixOf, type Shot } from './api-lanes.ts'
import { type Cast, lanesOf, type Script, steadyKeys } from './api-shots.ts'
import { type ApiStage, openApiStage, until } from './api-stage.ts'
import { type Admitted, addTo, mostAtOnce, mostInAMinute, newTally, type Tally, within } from './api-tally.ts'
import { wrongWith } from './api-verdict.ts'
import type { Findings, Scenario } from './scenario.ts'

/** Time without Redis for each round, ms: 30 s at 10 rounds. */
const DOWN_MS = 3000
/** Share of the full load that a short run sends, and the share of distinct requests that it uses. */
const SHORT = { share: 0.3, every: 5 }
/**
 * A process that is notified of a revocation refuses the key within this time, ms; one that cannot be notified, within the
 * second.
 */
const TOLD_MS = 5000
const UNTOLD_MS = 60_000
/** A request that overlaps an outage's start or end may see either state, ms. */
const EDGE_MS = 1500
/** `/ready` reports that Redis is unavailable, and that it is available again, within these times, ms. */
const DEGRADED_WITHIN_MS = 10_000
const READY_WITHIN_MS = 20_000
/** Time between two reads of `/ready`, ms: slow enough to stay below the limit. */
const LOOK_MS = 500
/** The worker compares live state every 15 s and restores missing parts. */
const FILLED_WITHIN_MS = 60_000

/** A time without Redis, ms by `performance.now()`. */
interface Outage {
  readonly how: 'kept' | 'emptied'
  readonly from: number
  to: number
}

interface Play extends Script {
  readonly stage: ApiStage
  readonly client: Client
  readonly cast: Cast
  readonly share: number
  readonly outages: Outage[]
  readonly endsBy: Map<string, number>
  readonly tallies: Map<string, Tally>
  readonly admitted: Map<string, Admitted[]>
  readonly times: Map<string, number[]>
  readonly counts: Map<string, number>
  readonly problems: string[]
}

/** Runs the API under a mixed load while Redis is killed and restarted, once with its data and once empty. */
export const apiRedis: Scenario = {
  name: 'api-redis',
  about: 'Redis killed for 30 s under 200 API requests per second',
  async run({ folder, rounds }) {
    const stage = await openApiStage(folder, { TRUSTED_PROXIES: '127.0.0.0/8' })
    try {
      return await play(stage, { rounds, isShort: rounds < 3 })
    } catch (error) {
      process.stderr.write(`${stage.lines.slice(-20).join('\n')}\n`)
      throw error
    } finally {
      await stage.close()
    }
  },
}

async function play(stage: ApiStage, { rounds, isShort }: { readonly rounds: number; readonly isShort: boolean }): Promise<Findings> {
  const down_ms = Math.min(rounds, 20) * DOWN_MS
  const share = isShort ? SHORT.share : 1
  const cast = await castOf(stage, share)
  let api = await stage.startApi()
  const client = openClient(() => api.url)
  const tallies = new Map<string, Tally>()
  const script = await scriptOf(client, cast, {
    tallies,
    every: isShort ? SHORT.every : 1,
    queries: Math.ceil((share * (4 * down_ms + 60_000)) / 500),
  })
  // A new process, which has computed none of these answers yet.
  const codes = [await api.stop()]
  api = await stage.startApi()
  const on: Play = {
    ...{ ...script, stage, client, cast, share, tallies },
    ...{ outages: [], endsBy: new Map(), admitted: new Map(), times: new Map(), counts: new Map(), problems: [] },
  }
  const runs: Record<string, unknown> = {}
  try {
    await askAgain(on)
    const mix = mixOf(lanesOf(cast, script, share))
    const around_ms = Math.max(3000, down_ms / 2)
    for (const how of isShort ? (['emptied'] as const) : (['kept', 'emptied'] as const)) {
      const load = (isOver: () => boolean): Promise<void> => runLoad(on, mix, isOver)
      await underLoad(load, async () => {
        await sleep(around_ms)
        runs[how] = await outage(on, { how, down_ms, waitsForRows: !isShort })
        await sleep(around_ms)
      })
      await checkCounters(on)
    }
    codes.push(await api.stop())
    for (const code of codes) if (code !== 0) on.problems.push(`an API process ended with ${code ?? 'a signal'} instead of 0`)
    await checkUsage(on)
    checkLimits(on)
  } finally {
    client.close()
  }
  const latencies = Object.fromEntries([...on.times].sort().map(([name, times]) => [name, quantiles(times)]))
  return { problems: on.problems, detail: { ...runs, asks: on.asks.length, answers: Object.fromEntries([...on.counts].sort()), latencies } }
}

/** Creates the keys of all callers. */
async function castOf({ access, context }: ApiStage, share: number): Promise<Cast> {
  const limit = pLimit(8)
  let made = 0
  const make = (plan: Plan): Promise<ChaosKey> =>
    limit(async () => {
      const email = `chaos-${Math.floor(made++ / 3)}@example.org`
      const { key, id, account, slot } = await access.accounts.create({ email, label: null, language: 'es', plan })
      return { key, id, account, slot, plan, headers: { 'X-API-Key': key } }
    })
  const several = (plan: Plan, count: number): Promise<ChaosKey[]> => Promise.all(Array.from({ length: count }, () => make(plan)))
  const counts = steadyKeys(share)
  const [FREE, PRO, ENTERPRISE] = await Promise.all([
    several('FREE', counts.FREE),
    several('PRO', counts.PRO),
    several('ENTERPRISE', counts.ENTERPRISE),
  ])
  const greedy = await Promise.all([make('FREE'), make('PRO'), make('ENTERPRISE')])
  const [revoked, doomed] = await Promise.all([make('ENTERPRISE'), several('ENTERPRISE', 4)])
  await access.accounts.revoke(revoked)
  return { steady: { FREE, PRO, ENTERPRISE }, greedy, revoked, doomed }
}

/** The requests to send, each once, with their correct answers. */
async function scriptOf(
  client: Client,
  cast: Cast,
  { tallies, every, queries: count }: { readonly tallies: Map<string, Tally>; readonly every: number; readonly queries: number },
): Promise<Script> {
  const key = byTurns(cast.steady.ENTERPRISE)
  const ask = async (request: Pick<Ask, 'path' | 'headers'>): Promise<Answer> => {
    const { id, headers } = key()
    const answer = await client.ask({ path: request.path, headers: { ...request.headers, ...headers } })
    tally(tallies, id, answer)
    return answer
  }
  const ids = new Map<string, string[]>()
  for (const path of listsOfThings()) ids.set(path, idsIn(path, (await ask({ path, headers: {} })).body.toString()))
  const asks = asksOf(ids, Date.now()).filter((_, at) => at % every === 0)
  const queries = queriesOf(ids, count)
  const limit = pLimit(4)
  const references = new Map<Ask, Reference>()
  await Promise.all([...asks, ...queries].map((one) => limit(async () => references.set(one, new Reference(await ask(one))))))
  for (const [one, { said }] of references)
    if (said.status >= 500) throw new Error(`${one.path}: ${said.status} ${said.code} before the first outage`)
  return { asks, queries, references }
}

/**
 * Sends all requests but the history queries to a new process: the answers are the same as before, and caches are warm before the
 * load.
 */
async function askAgain({ client, cast, asks, references, tallies, problems }: Play): Promise<void> {
  const key = byTurns(cast.steady.ENTERPRISE)
  const limit = pLimit(4)
  const again = async (one: Ask): Promise<void> => {
    const { id, headers } = key()
    const answer = await client.ask({ path: one.path, headers: { ...one.headers, ...headers } })
    tally(tallies, id, answer)
    const wrong = (references.get(one) as Reference).wrongIn(answer, { method: 'GET', hasIt: false })
    if (wrong !== null) problems.push(`repeated to another process: ${one.path}: ${wrong}`)
  }
  await Promise.all(asks.map((one) => limit(() => again(one))))
}

/** Sends the load until it is stopped and checks each answer. */
async function runLoad(on: Play, mix: readonly Lane[], isOver: () => boolean): Promise<void> {
  const waiting = new Set<Promise<void>>()
  const watch = async (): Promise<void> => {
    const { status } = await on.client.ask({ path: '/ready', headers: { 'X-Forwarded-For': '192.0.2.3' } })
    if (status !== 200) on.problems.push(`/ready is ${status}`)
  }
  await openLoop(mix.length, isOver, async (number, intended) => {
    if (number % mix.length === 0) waiting.add(watch())
    const lane = mix[number % mix.length] as (typeof mix)[number]
    const shot = lane.next()
    judge(on, lane.name, shot, await on.client.ask(shot.request, intended))
  })
  await Promise.all(waiting)
}

function judge(on: Play, lane: string, shot: Shot, answer: Answer): void {
  const { sent, received, status, intended } = answer
  const { caller, ask } = shot
  // Requests with an invalid key are charged to their address.
  if (caller.id !== null && status !== 401) tally(on.tallies, caller.id, answer)
  const who = caller.id ?? (lane === 'greedy address' ? lane : null)
  if (who !== null && lane !== 'plan too low' && status !== 429) listed(on.admitted, who).push({ sent, received })
  const phase = phaseOf(on.outages, sent)
  const count = (name: string): void => void on.counts.set(name, (on.counts.get(name) ?? 0) + 1)
  const isAway = on.outages.some(({ from, to }) => received > from - EDGE_MS && sent < to + EDGE_MS)
  const isEmptied = on.outages.some(({ how, to }) => how === 'emptied' && received > to)
  const wrong = wrongWith(lane, shot, answer, { ...on, isAway, isEmptied })
  if (wrong !== null) count(`wrong: ${lane} ${phase} ${wrong.slice(0, 40)}`)
  if (wrong !== null) on.problems.push(`${phase}, ${lane}: ${shot.request.method} ${ask.path} of ${caller.id ?? 'nobody'}: ${wrong}`)
  const kind = status >= 400 ? String(status) : ask.endpoint.read.kind === 'lake' ? 'lake' : 'live'
  listed(on.times, `${kind} ${phase}`).push(received - intended)
  count(`${lane} ${phase} ${status}`)
}

function phaseOf(outages: readonly Outage[], at: number): string {
  const [first] = outages
  if (!first || at < first.from) return 'before'
  return outages.some(({ from, to }) => at >= from && at < to) ? 'during' : 'after'
}

/** Stops Redis for some time, creates and revokes keys meanwhile, and waits until everything works as before. */
async function outage(
  on: Play,
  { how, down_ms, waitsForRows }: { readonly how: Outage['how']; readonly down_ms: number; readonly waitsForRows: boolean },
): Promise<Record<string, number>> {
  const { stage, client, cast, endsBy, outages, problems } = on
  const one: Outage = { how, from: performance.now(), to: Number.POSITIVE_INFINITY }
  outages.push(one)
  await stage.killRedis()
  const readiness = async (): Promise<string> =>
    (JSON.parse((await client.ask({ path: '/ready' })).body.toString()) as { status: string }).status
  const degraded_ms = await until('/ready reports that Redis is away', DEGRADED_WITHIN_MS, async () => (await readiness()) === 'degraded')
  const [byItself, byOperator] = cast.doomed.slice(outages.length === 1 ? 0 : 2) as [ChaosKey, ChaosKey]
  await makeKeyNow(on)
  const { status } = await client.ask({ path: `/api/keys/${byItself.id}`, method: 'DELETE', headers: byItself.headers })
  endsBy.set(byItself.id, performance.now() + TOLD_MS)
  if (status !== 200) problems.push(`revoking a key without Redis gets ${status}`)
  await stage.access.accounts.revoke(byOperator)
  endsBy.set(byOperator.id, performance.now() + UNTOLD_MS)
  while (performance.now() < one.from + down_ms) {
    if ((await readiness()) !== 'degraded') problems.push('/ready does not report that Redis is away')
    await sleep(LOOK_MS)
  }
  await stage.startRedis(how)
  one.to = performance.now()
  const ready_ms = await until('/ready reports that Redis is available', READY_WITHIN_MS, async () => (await readiness()) === 'ready')
  if (!waitsForRows) return { degraded_ms, ready_ms }
  const filled_ms = await until('live state is in Redis', FILLED_WITHIN_MS, async () => (await stage.lacking()).length === 0)
  return { degraded_ms, ready_ms, filled_ms }
}

/** A key that is created without Redis works at once. */
async function makeKeyNow({ client, problems }: Play): Promise<void> {
  const made = await client.ask({
    ...{ path: '/api/keys', method: 'POST', body: { email: `${randomUUID()}@example.org` } },
    headers: { 'X-Forwarded-For': '192.0.2.2' },
  })
  if (made.status !== 201) return void problems.push(`creating a key without Redis gets ${made.status}`)
  const { key } = JSON.parse(made.body.toString()) as { key: string }
  const { status } = await client.ask({ path: '/api/codes?limit=1', headers: { 'X-API-Key': key } })
  if (status !== 200) problems.push(`a key that was created without Redis gets ${status}`)
}

/**
 * Checks that a key has at least its unused part of the day left. It may have more: requests admitted without Redis, data that
 * Redis lost, and requests in progress at the kill. The API may reconnect before the test notices that Redis is back.
 */
async function checkCounters(on: Play): Promise<void> {
  const { client, cast, problems, tallies, admitted, outages } = on
  const { how, from } = outages.at(-1) as Outage
  for (const key of [...Object.values(cast.steady).map(([first]) => first as ChaosKey), ...cast.greedy]) {
    await until(`${key.plan} may send requests again`, 65_000, async () => {
      const answer = await client.ask({ path: '/api/codes?limit=1', headers: key.headers })
      tally(tallies, key.id, answer)
      if (answer.status === 429) return false
      const left = Number(/"day";r=(\d+)/.exec(String(answer.headers['ratelimit']))?.[1])
      const expected = DEFAULT_PLANS[key.plan].day - (tallies.get(key.id) as Tally).day_units
      const taken = admitted.get(key.id) ?? []
      // An emptied Redis has lost all counts, also of the requests that fetched the right answers.
      const uncounted =
        how === 'emptied'
          ? (tallies.get(key.id) as Tally).day_units
          : within(taken, { from: outages[0]?.from ?? from, to: Number.POSITIVE_INFINITY })
      if (!(left >= expected && left <= expected + uncounted + mostAtOnce(taken)))
        problems.push(`${how}: ${key.plan} has ${left} of its day left, ${expected} were not used, ${uncounted} may be uncounted`)
      return true
    })
  }
}

/** Checks that usage equals the requests that were sent. */
async function checkUsage({ stage, tallies, problems }: Play): Promise<void> {
  const today = madridDate(Date.now())
  const days = await usageDaysReader(stage.context.lake)({ from: madridDate(Date.now(), -2), to: dateAfter(dateAfter(today)) })
  for (const [id, counted] of tallies) {
    for (const outcome of [...OUTCOMES, 'day_units'] as const) {
      const reported = days.filter(({ key }) => key === id).reduce((sum, day) => sum + day[outcome], 0)
      if (reported !== counted[outcome]) problems.push(`usage of ${id}: ${reported} ${outcome}, its client counted ${counted[outcome]}`)
    }
  }
}

/**
 * Admitted share of a minute's limit around an outage: all of it before, half without Redis, and all of it again if Redis is
 * emptied.
 */
const AROUND_OUTAGE = 2.5

/**
 * Checks the limits: the plan's limit in a normal minute, half of it while Redis is away, `AROUND_OUTAGE` times it in any minute.
 */
function checkLimits({ admitted, outages, cast, problems }: Play): void {
  const plans = new Map<string, keyof typeof DEFAULT_PLANS>([['greedy address', 'ANONYMOUS']])
  for (const key of [...Object.values(cast.steady).flat(), ...cast.greedy]) plans.set(key.id, key.plan)
  const isTouched = (at: number): boolean => outages.some(({ from, to }) => at >= from && at < to + 60_000)
  for (const [who, taken] of admitted) {
    const plan = plans.get(who)
    if (!plan) continue
    const { minute } = DEFAULT_PLANS[plan]
    const report = (count: number, when: string, most: number): void => {
      if (count > most) problems.push(`${plan} ${who}: ${count} were admitted ${when}, at most ${most} are allowed`)
    }
    report(mostInAMinute(taken.filter(({ sent }) => !isTouched(sent))), 'in a minute', minute)
    report(mostInAMinute(taken), 'in a minute around an outage', Math.floor(AROUND_OUTAGE * minute))
    for (const { from, to } of outages)
      report(within(taken, { from: from + EDGE_MS, to }), 'without Redis', Math.max(1, Math.floor(minute / 2)))
  }
}

function tally(tallies: Map<string, Tally>, id: string, answer: Answer): void {
  const counted = tallies.get(id) ?? newTally()
  tallies.set(id, counted)
  addTo(counted, answer)
}

function listed<K, V>(lists: Map<K, V[]>, name: K): V[] {
  const list = lists.get(name) ?? []
  lists.set(name, list)
  return list
}
