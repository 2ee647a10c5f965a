import { randomUUID } from 'node:crypto'
import { listen } from '../../lake/live/connect.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from '../ingest/context.ts'
import { type Derived, filledBy, inputsOf } from './define.ts'
import { type Deriver, dueAfter, makeDeriver } from './derive.ts'
import type { AskedParts } from './parts.ts'

/** Channel of messages between workers about derivations, as JSON. A lost message is made good by the next landing. */
const CHANNEL = 'jobs:derive'

type Message = { readonly by: string } & ({ readonly landed: string } | { readonly isNight: true } | { readonly asked: AskedParts })

/** A deriver whose derivations are shared with those of other workers. */
export interface SharedDeriver extends Omit<Deriver, 'help'> {
  /** Resolves once it hears the others. */
  readonly listening: Promise<void>
  /** Runs what this worker has come to own: it may be due since its owner died. */
  takeOver(): void
  /** Resolves once running work has ended; abort its signal first. */
  close(): Promise<void>
}

/**
 * The name under which a derivation is owned, see `ownerOf`; derivations are in execution order. Those that read each other's
 * tables have one owner, that of the feed which fills most of their inputs: it has these tables in memory.
 */
export function ownedNames(derivations: readonly Derived[], feeds: readonly Feed[]): ReadonlyMap<Derived, string> {
  const families: Derived[][] = []
  for (const derived of derivations) {
    const isNear = (other: Derived): boolean => filledBy(other).some((one) => inputsOf(derived).includes(one))
    const near = families.filter((family) => family.some(isNear))
    for (const family of near) families.splice(families.indexOf(family), 1)
    families.push([...near.flat(), derived])
  }
  return new Map(
    families.flatMap((family) => {
      const inputs = new Set(family.flatMap(inputsOf))
      const fills = ({ into }: Feed): number => into.filter((dataset) => inputs.has(dataset)).length
      const [leading] = [...feeds].sort((one, other) => fills(other) - fills(one) || one.every_s - other.every_s)
      const name = `derive:${(family[0] as Derived).into.id}${leading && fills(leading) > 0 ? `@${leading.id}` : ''}`
      return family.map((derived) => [derived, name] as const)
    }),
  )
}

/**
 * Makes the deriver of a worker among others: it runs what it owns, announces what landed here, builds parts that others
 * ask for, and asks them to help with its own. `signal` ends what others caused.
 */
export function shareDeriver(
  context: IngestContext,
  options: {
    readonly redisUrl: string
    readonly derivations: readonly Derived[]
    readonly feeds: readonly Feed[]
    readonly isOwned: (derived: Derived) => boolean
    /** Runs work that others caused, for example as work of a kind. */
    readonly inTurn: (work: () => Promise<unknown>) => Promise<unknown>
    readonly signal: AbortSignal
  },
): SharedDeriver {
  const { redisUrl, derivations, feeds, isOwned, inTurn, signal } = options
  const by = randomUUID()
  const send = (message: object): void => void context.redis.publish(CHANNEL, JSON.stringify({ by, ...message })).catch(() => undefined)
  const deriver = makeDeriver(context, { derivations, feeds, isOwned, ask: (asked) => send({ asked }) })
  const running = new Map<string, Promise<void>>()
  const again = new Set<string>()
  /** Runs work in the background; once more if it is asked for while it runs. */
  const start = (name: string, work: () => Promise<unknown>): void => {
    if (signal.aborted) return
    if (running.has(name)) return void again.add(name)
    const done = inTurn(work)
      .catch((error: unknown) => {
        if (!signal.aborted) context.log.error({ err: error, what: name }, 'not derived; the next landing tries again')
      })
      .then(() => {
        running.delete(name)
        if (again.delete(name)) start(name, work)
      })
    running.set(name, done)
  }
  const onMessage = (text: string): void => {
    const message = JSON.parse(text) as Message
    if (message.by === by) return
    if ('isNight' in message) return start('nightly', () => deriver.nightly(signal))
    if ('landed' in message) {
      const feed = feeds.find(({ id }) => id === message.landed)
      if (feed && dueAfter(derivations, feed).some(isOwned)) start(`after ${feed.id}`, () => deriver.after(feed, signal))
      return
    }
    // A later version may send other messages.
    if (!('asked' in message)) return
    const { asked } = message
    // It asks again every few seconds.
    if (!running.has(`help ${asked.into}`)) start(`help ${asked.into}`, () => deriver.help(asked, signal))
  }
  const { promise: listening, resolve: onListening } = Promise.withResolvers<void>()
  const messages = listen(redisUrl, CHANNEL, { onMessage, onListening })
  return {
    listening,
    async after(feed, stop) {
      if (dueAfter(derivations, feed).some((derived) => !isOwned(derived))) send({ landed: feed.id })
      await deriver.after(feed, stop)
    },
    all: (stop) => deriver.all(stop),
    async nightly(stop) {
      send({ isNight: true })
      await deriver.nightly(stop)
    },
    takeOver: () => start('all', () => deriver.all(signal)),
    async close() {
      messages.close()
      await Promise.all(running.values())
    },
  }
}
