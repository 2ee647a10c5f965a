import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** A complete answer, or none. Times are ms by `performance.now()`. */
export interface Answer {
  /** 0 if the connection ended before the answer was complete. */
  readonly status: number
  readonly body: string
  readonly sent: number
  readonly received: number
}

/** A request as a client sends it; the body is sent as JSON. */
interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Sends a request for a path and query. */
export type Ask = (path: string, request?: Request) => Promise<Answer>

const PATIENCE_MS = 60_000

/** A client of the API at a URL, which may change while it works. */
export function clientOf(url: () => string): Ask {
  return async (path, { method = 'GET', headers = {}, body } = {}) => {
    const sent = performance.now()
    const end = (status: number, text: string): Answer => ({ status, body: text, sent, received: performance.now() })
    try {
      const json = body === undefined ? {} : { body: JSON.stringify(body) }
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const how = { method, headers: { ...headers, ...type }, signal: AbortSignal.timeout(PATIENCE_MS), ...json }
      const reply = await fetch(`${url()}${path}`, how)
      return end(reply.status, await reply.text())
    } catch {
      return end(0, '')
    }
  }
}

/** Returns headers of a different address each time, up to a quarter of a million: none reaches its limit. */
export function addresses(): () => Readonly<Record<string, string>> {
  let next = 0
  return () => {
    const at = next++ % 2 ** 18
    return { 'X-Forwarded-For': `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` }
  }
}

/** The results of people who create, rotate and revoke keys. */
export interface Owners {
  /** Every key that was shown to an owner, and whether it must work; null if the answer that states it was lost. */
  readonly keys: ReadonlyMap<string, boolean | null>
  readonly emails: readonly string[]
  readonly problems: readonly string[]
  /** Number of answered changes by kind, and number of unanswered ones. */
  readonly counts: Readonly<Record<string, number>>
}

/** Keys that an address may have, and keys that are requested at once: one too many. */
const MOST = 3
const AT_ONCE = 4

/**
 * Changes keys for several people at a time until it is stopped; each person uses a different address. `up` settles when the API
 * is reachable; while `isAlone` is true, a process without Redis grants half of the attempts for an address.
 */
export async function letOwnersChange(
  ask: Ask,
  on: { readonly people: number; readonly up: () => Promise<void>; readonly isOver: () => boolean; readonly isAlone: () => boolean },
): Promise<Owners> {
  const { people, up, isOver, isAlone } = on
  const keys = new Map<string, boolean | null>()
  const emails: string[] = []
  const problems: string[] = []
  const counts: Record<string, number> = {}
  const address = addresses()
  const change = async (what: string, expected: readonly number[], ...[path, request]: Parameters<Ask>): Promise<Answer> => {
    await up()
    const answer = await ask(path, { ...request, headers: { ...address(), ...request?.headers } })
    const { status } = answer
    const name = status === 0 ? `${what} lost` : `${what} ${status}`
    counts[name] = (counts[name] ?? 0) + 1
    const isLimited = status === 429 && what === 'create' && isAlone()
    if (status !== 0 && !isLimited && !expected.includes(status)) problems.push(`${what}: ${status} ${answer.body.slice(0, 300)}`)
    return answer
  }
  const live = async (): Promise<void> => {
    const email = `owner-${randomUUID()}@example.org`
    emails.push(email)
    const create = { method: 'POST', body: { email } } as const
    const made = await Promise.all(Array.from({ length: AT_ONCE }, () => change('create', [201, 422], '/api/keys', create)))
    const shown = made.filter(({ status }) => status === 201).map(keyIn)
    if (shown.length > MOST) problems.push(`${shown.length} keys were given to one address`)
    for (const { key } of shown) keys.set(key, true)
    const [first, second] = shown
    if (first) {
      const rotate = { method: 'POST', body: { overlap_hours: 0 }, headers: { 'X-API-Key': first.key } } as const
      const { status, body } = await change('rotate', [201], `/api/keys/${first.id}/rotate`, rotate)
      keys.set(first.key, status === 0 ? null : status !== 201)
      if (status === 201) keys.set(keyIn({ body }).key, true)
    }
    if (second) {
      const revoke = { method: 'DELETE', headers: { 'X-API-Key': second.key } } as const
      const { status } = await change('revoke', [200], `/api/keys/${second.id}`, revoke)
      keys.set(second.key, status === 0 ? null : status !== 200)
    }
    await sleep(50)
  }
  await Promise.all(
    Array.from({ length: people }, async () => {
      while (!isOver()) await live()
    }),
  )
  return { keys, emails, problems, counts }
}

function keyIn({ body }: Pick<Answer, 'body'>): { readonly key: string; readonly id: string } {
  return JSON.parse(body) as { key: string; id: string }
}
