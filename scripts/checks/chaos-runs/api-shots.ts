import { makeKey } from '../../../api/auth/keys/key-format.ts'
import type { PLANS } from '../../../lake/schema/dataset.ts'
import type { Reference } from './api-answers.ts'
import type { Ask } from './api-asks.ts'
import { addresses, byTurns, type Caller, type ChaosKey, type Lane, type Shot, shuffled } from './api-lanes.ts'

/** The callers. */
export interface Cast {
  /** Keys of each plan, so many that none reaches half of its limits. */
  readonly steady: Readonly<Record<(typeof PLANS)[number], readonly ChaosKey[]>>
  /** One key of each plan that sends more than its limit. */
  readonly greedy: readonly ChaosKey[]
  /** A key that is revoked at the start. */
  readonly revoked: ChaosKey
  /** Keys that are revoked while Redis is away. */
  readonly doomed: readonly ChaosKey[]
}

/** The requests and their correct answers. */
export interface Script {
  readonly asks: readonly Ask[]
  /** History queries that were never sent before. */
  readonly queries: readonly Ask[]
  readonly references: ReadonlyMap<Ask, Reference>
}

/**
 * Most requests per second of a steady key of each plan: below half of its limit per minute, which one process grants by itself.
 */
const PACE = { FREE: 0.06, PRO: 0.35, ENTERPRISE: 2 } as const
/** Requests per second at full load, 200 in all. */
const PER_SECOND = {
  ...{ live: 137, table: 4, lake: 6, query: 2, pro: 6, free: 3, anonymous: 8, 'greedy key': 16, 'greedy address': 2 },
  ...{ 'made-up key': 4, 'malformed key': 2, 'revoked key': 2, 'plan too low': 1, 'no key': 2, 'doomed key': 3 },
} as const
type LaneName = keyof typeof PER_SECOND
const ENCODINGS = ['br', 'gzip', 'zstd', 'identity', 'br, gzip;q=0.5']
const GREEDY_SHARES = [1, 3, 12]

/** Requests of a lane per second at a share of the full load. */
function paceOf(name: LaneName, share: number): number {
  return Math.max(1, Math.round(PER_SECOND[name] * share))
}

/** Keys of each plan that a share of the full load needs. */
export function steadyKeys(share: number): Readonly<Record<keyof typeof PACE, number>> {
  const count = (plan: keyof typeof PACE, names: readonly LaneName[]): number =>
    Math.ceil(names.reduce((sum, name) => sum + paceOf(name, share), 0) / PACE[plan])
  return {
    FREE: count('FREE', ['free', 'plan too low']),
    PRO: count('PRO', ['pro']),
    ENTERPRISE: count('ENTERPRISE', ['live', 'table', 'lake', 'query']),
  }
}

/** Requests of all callers: the kinds together are 200 per second at a share of 1. */
export function lanesOf(cast: Cast, { asks, queries, references }: Script, share: number): Lane[] {
  const address = addresses()
  const encoding = byTurns(ENCODINGS)
  let number = 0
  const shot = (ask: Ask, caller: Caller, more: Readonly<Record<string, string>> = {}, method: 'GET' | 'HEAD' = 'GET'): Shot => {
    const headers = { 'Accept-Encoding': encoding(), ...address().headers, ...ask.headers, ...caller.headers, ...more }
    return { caller, ask, request: { path: ask.path, method, headers }, hasIt: false }
  }
  /** Some requests send the current tag, some another one, and some are HEAD requests. */
  const varied = (ask: Ask, caller: Caller): Shot => {
    const tag = references.get(ask)?.tag
    const turn = number++ % 16
    if (turn % 4 === 0 && tag) return { ...shot(ask, caller, { 'If-None-Match': tag }), hasIt: true }
    if (turn === 1) return shot(ask, caller, { 'If-None-Match': 'W/"another"' })
    return shot(ask, caller, {}, turn === 2 ? 'HEAD' : 'GET')
  }
  const isHistory = ({ endpoint }: Ask): boolean => endpoint.read.kind === 'lake'
  const isTable = (ask: Ask): boolean => /csv|ndjson|parquet|arrow/.test(formatOf(ask))
  const isLive = (ask: Ask): boolean => !isHistory(ask) && !isTable(ask)
  const live = byTurns(shuffled(asks.filter(isLive)))
  // The right answers are those of ENTERPRISE; a search answers each plan differently.
  const isSame = (ask: Ask): boolean => isLive(ask) && !ask.path.startsWith('/api/search')
  const forAll = (ask: Ask): boolean => ask.endpoint.plan === 'FREE' && isSame(ask)
  const pro = byTurns(shuffled(asks.filter((ask) => isSame(ask) && ask.endpoint.plan !== 'ENTERPRISE')))
  const table = byTurns(shuffled(asks.filter((ask) => !isHistory(ask) && isTable(ask))))
  const lake = byTurns(shuffled(asks.filter(isHistory)))
  const query = byTurns(queries)
  const free = byTurns(shuffled(asks.filter(forAll)))
  const paid = byTurns(asks.filter(({ endpoint }) => endpoint.plan === 'PRO'))
  const small = byTurns(
    asks.filter((ask) => forAll(ask) && ask.endpoint.read.kind === 'system' && references.get(ask)?.said.status === 200),
  )
  const steady = {
    FREE: byTurns(cast.steady.FREE),
    PRO: byTurns(cast.steady.PRO),
    ENTERPRISE: byTurns(cast.steady.ENTERPRISE),
  }
  const greedy = byTurns(cast.greedy.flatMap((key, n) => Array<ChaosKey>(GREEDY_SHARES[n] ?? 1).fill(key)))
  const doomed = byTurns(cast.doomed)
  const sole: Caller = { id: null, headers: { 'X-Forwarded-For': '192.0.2.1' } }
  const next: Readonly<Record<LaneName, () => Shot>> = {
    live: () => varied(live(), steady.ENTERPRISE()),
    table: () => varied(table(), steady.ENTERPRISE()),
    lake: () => varied(lake(), steady.ENTERPRISE()),
    query: () => shot(query(), steady.ENTERPRISE()),
    pro: () => varied(pro(), steady.PRO()),
    free: () => varied(free(), steady.FREE()),
    anonymous: () => varied(free(), address()),
    'greedy key': () => shot(small(), greedy()),
    'greedy address': () => shot(small(), sole),
    'made-up key': () => shot(free(), address(), { 'X-API-Key': makeKey() }),
    'malformed key': () => shot(free(), address(), { 'X-API-Key': makeKey().replace(/.$/, '-') }),
    'revoked key': () => shot(free(), address(), { 'X-API-Key': cast.revoked.key }),
    'plan too low': () => shot(paid(), steady.FREE()),
    'no key': () => shot(paid(), address()),
    'doomed key': () => shot(small(), doomed()),
  }
  return (Object.keys(PER_SECOND) as LaneName[]).map((name) => ({ name, perSecond: paceOf(name, share), next: next[name] }))
}

function formatOf({ path, headers }: Ask): string {
  return `${new URLSearchParams(path.split('?')[1]).get('format') ?? ''} ${headers['Accept'] ?? ''}`
}
