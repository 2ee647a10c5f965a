import type { Redis } from 'ioredis'
import { addressSlot, trustedProxies } from '../../../api/auth/limits/address.ts'
import { limitHeaders } from '../../../api/auth/limits/headers.ts'
import { DEFAULT_PLANS, policiesOf } from '../../../api/auth/plans.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { defineScript, runScript } from '../../../lake/live/script.ts'
import { startRedis } from '../../redis.ts'
import type { Bench, Work } from './measure.ts'
import { benchLimiter } from './services.ts'

const REQUESTS = 20_000
/** Concurrent requests. */
const AT_ONCE = 64
const CALLERS = 200

/** The minimum cost of counting a request by the minute and by the day, in fixed windows. */
const COUNT = defineScript(`
local minute = redis.call('INCR', KEYS[1])
if minute == 1 then redis.call('EXPIRE', KEYS[1], 60) end
local day = redis.call('INCR', KEYS[2])
if day == 1 then redis.call('EXPIRE', KEYS[2], 86400) end
return { minute, day }
`)

/**
 * The cost of limiting a request: its address, a charge in both sliding windows, its headers. The reference is two counters per
 * request. It is the processor time of this process plus Redis: how much of both overlaps depends on the machine.
 */
export const limits: Bench = {
  name: 'limits',
  about: `${REQUESTS} requests, ${AT_ONCE} at a time, limited by address: processor time including Redis, against a script with two INCR each`,
  limit: 1.5,
  async open(folder) {
    const server = await startRedis({ folder, appendOnly: false })
    const redis = openRedis(server.url)
    const limiter = benchLimiter(server.url)
    const policies = policiesOf({ ...DEFAULT_PLANS.ENTERPRISE, minute: REQUESTS * CALLERS, day: REQUESTS * CALLERS })
    const trusted = trustedProxies('127.0.0.0/8')
    const limited = async (request: number): Promise<boolean> => {
      const slot = addressSlot({ socket: '127.0.0.1', forwardedFor: `203.0.113.${request % CALLERS}` }, trusted)
      const charge = await limiter.charge(slot, policies, { minute: 1, day: 1 })
      const { ratelimit } = limitHeaders(charge, { status: 200, random: Math.random })
      return charge.by === 'redis' && charge.admitted && ratelimit !== undefined
    }
    const counted = async (request: number): Promise<boolean> => {
      const caller = request % CALLERS
      const counts = await runScript(redis, COUNT, { keys: [`minute:${caller}`, `day:${caller}`], args: [] })
      return Array.isArray(counts) && counts.every((count) => Number(count) > 0)
    }
    return {
      measured: inTurns(redis, limited),
      reference: inTurns(redis, counted),
      close: async () => {
        limiter.close()
        redis.disconnect()
        await server.stop()
      },
    }
  },
}

/**
 * Sends requests with fixed concurrency, measured in processor time of this process and Redis; `request` returns whether it
 * succeeded.
 */
function inTurns(redis: Redis, request: (number: number) => Promise<boolean>): Work {
  return {
    expected: { requests: REQUESTS },
    clock: () => processorTime(redis),
    async run() {
      let [next, done] = [0, 0]
      const one = async (): Promise<void> => {
        while (next < REQUESTS) if (await request(next++)) done++
      }
      await Promise.all(Array.from({ length: AT_ONCE }, one))
      return { requests: done }
    },
  }
}

/** Processor time that this process and Redis have used so far, ms. */
async function processorTime(redis: Redis): Promise<number> {
  const seconds = [...(await redis.info('cpu')).matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].map(([, found]) => Number(found))
  if (seconds.length !== 2) throw new Error('Redis does not state its processor time')
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + 1000 * seconds.reduce((sum, one) => sum + one, 0)
}
