import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newPepperText, parsePeppers } from '../../../api/auth/keys/pepper.ts'
import { startDeliverer } from '../../../api/features/webhooks/deliverer.ts'
import {
  changeSubscriptions,
  newSecret,
  type Subscription,
  sealSecret,
  subscriptionId,
} from '../../../api/features/webhooks/subscriptions.ts'
import type { LoggedEvent } from '../../../lake/events/log.ts'
import { openEvents } from '../../../lake/events/open.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { startRedis } from '../../redis.ts'
import type { Bench } from './measure.ts'

const RECEIVER = fileURLToPath(new URL('./receiver.ts', import.meta.url))
/** Subscriptions, matching subscriptions per event, and events; `WEBHOOKS_SCALE` divides the first (10 for a tenth). */
const SCALE = Number(process.env['WEBHOOKS_SCALE'] ?? 1)
const SUBSCRIPTIONS = Math.round(10_000 / SCALE)
const MATCHING = 10
const EVENTS = 50
/** 100 events per minute. */
const EVERY_MS = 600
const LIMIT_MS = 1000

/** When each event arrived at the receiver, ms since the epoch. */
export type Arrivals = Readonly<Record<string, readonly number[]>>

/**
 * Median time from the recording of an event to its arrival at a receiver in another process. A hundred events per minute each
 * match ten of ten thousand subscriptions.
 */
export const webhooks: Bench = {
  name: 'webhooks',
  about: `${SUBSCRIPTIONS} webhooks, ${60_000 / EVERY_MS} events a minute, each matching ${MATCHING} of them: median time to the arrival of an event; at most ${LIMIT_MS} ms`,
  limit: 1,
  rounds: 1,
  warmUps: 0,
  async open(folder) {
    const server = await startRedis({ folder: join(folder, 'redis'), appendOnly: false })
    const store = await fileStore(join(folder, 'store'))
    const events = openEvents({ store, redisUrl: server.url })
    const peppers = parsePeppers(newPepperText())
    const receiver = fork(RECEIVER)
    const url = await new Promise<string>((resolve) => receiver.once('message', (message) => resolve(String(message))))
    const groups = SUBSCRIPTIONS / MATCHING
    const account = randomBytes(32).toString('hex')
    const made = Array.from({ length: SUBSCRIPTIONS }, (_, number): Subscription => {
      const id = subscriptionId(account, String(number))
      const secrets = [sealSecret(peppers, newSecret(peppers, id, String(number)), { id, at: 0 })]
      const filter = { station: [String(number % groups)] }
      return { id, account, url, description: null, filter, created_at: 0, enabled: true, enabled_at: 0, after: 0, secrets }
    })
    await changeSubscriptions(store, account, () => made)
    const deliverer = startDeliverer({
      ...{ store, events, peppers, rules: { loopback: true }, isEntitled: async () => true, onTrouble: () => undefined },
      log: {
        info: () => undefined,
        warn: (...line: unknown[]) => process.stderr.write(`${JSON.stringify(line)}\n`),
        error: () => undefined,
      },
    })
    await deliverer.leading
    const record = (number: number): Promise<unknown> => {
      const station_id = String(number % groups)
      const row = { station_id, product: 'DIESEL_A', price: 1.4, price_unit: 'EUR/L', observed_at: Date.now(), province_code: '28' }
      const state = { status: 'ACTIVE', updated_at: row.observed_at, is_stale: false } as const
      const change = { dataset: 'fuel_prices', kind: 'UPDATED', changed: ['price'], row: { ...row, ...state } } as const
      const event: LoggedEvent = { id: `evt_${number}`, type: 'fuel_price.changed', thing: station_id, at: row.observed_at, change }
      return events.log.record(`bench ${number}`, [event], { since: Date.now() })
    }
    return {
      measured: {
        expected: { deliveries: EVENTS * MATCHING },
        async run(timer) {
          const recorded: number[] = []
          for (let number = 0; number < EVENTS; number++) {
            recorded.push(Date.now())
            await record(number)
            await sleep(EVERY_MS)
          }
          await sleep(LIMIT_MS)
          receiver.send('report')
          const arrivals = await new Promise<Arrivals>((resolve) => receiver.once('message', (message) => resolve(message as Arrivals)))
          const took = recorded.flatMap((at, number) => (arrivals[`evt_${number}`] ?? []).map((arrived) => arrived - at))
          took.sort((one, other) => one - other)
          timer.timedElsewhere({ median: Math.max(1, took[took.length >> 1] ?? Number.NaN) })
          return { deliveries: took.length }
        },
      },
      reference: { limit_ms: LIMIT_MS },
      close: async () => {
        await deliverer.close()
        receiver.kill()
        events.close()
        await server.stop()
      },
    }
  },
}
