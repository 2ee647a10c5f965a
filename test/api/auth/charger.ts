import { openLimiter } from '../../../api/auth/limits/limiter.ts'
import { definePolicy } from '../../../api/auth/limits/policy.ts'

/** The settings of a process that charges one quota key as fast as it can. */
export interface ChargerOrder {
  readonly redisUrl: string
  readonly limit: number
  readonly window_s: number
  readonly for_ms: number
}

/** The seconds of Redis' clock in which this process got a grant. */
export type ChargerReport = { readonly admitted: readonly number[]; readonly refused: number }

// Starts when all processes are ready: the parent sends the order once each has reported.
process.once('message', (order: ChargerOrder) => {
  void run(order).then((report) => process.send?.(report, () => process.disconnect()))
})
process.send?.('ready')

async function run({ redisUrl, limit, window_s, for_ms }: ChargerOrder): Promise<ChargerReport> {
  const limiter = openLimiter({
    redisUrl,
    // A busy machine may make Redis late, but a process that then limits alone would prove nothing.
    timeout_ms: 20_000,
    onSwitch: (reason) => {
      if (reason) throw reason
    },
  })
  const policy = definePolicy({ name: 'short', limit, window_s, bucket_s: 1 })
  const admitted: number[] = []
  let refused = 0
  const began = performance.now()
  while (performance.now() - began < for_ms) {
    const charges = await Promise.all(Array.from({ length: 10 }, () => limiter.charge('shared', [policy], { short: 1 })))
    for (const charge of charges) {
      if (charge.admitted) admitted.push(charge.charged[0]?.bucket as number)
      else refused++
    }
  }
  limiter.close()
  return { admitted, refused }
}
