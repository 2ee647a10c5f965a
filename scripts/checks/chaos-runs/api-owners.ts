import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Ask, addresses } from './api-client.ts'

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
