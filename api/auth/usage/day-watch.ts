import { USAGE_LEVELS, type UsageLevel } from '../../../lake/requests/mails.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import type { LiveKey } from '../keys/key-index.ts'
import type { Charge, QuotaStatus } from '../limits/policy.ts'

/** Watches how much of their daily quota keys have used. */
export interface DayWatch {
  /** Checks a charge or refusal of a key; synchronously, for every request. */
  see(key: LiveKey, charge: Charge): void
  /** Settles once all notifications are done. */
  close(): Promise<void>
}

/** A key whose day is used up to a level. */
export interface DayUsed {
  readonly key: LiveKey
  readonly level: UsageLevel
  /** The day in Madrid: each level is reported once a day. */
  readonly date: string
  /** Requests admitted in any 24 hours. */
  readonly limit: number
}

/** Most slots that are remembered as reported. Beyond that they are reported again, which the store then stops. */
const MAX_REPORTED = 50_000

/** Makes a watch that calls `notify` once a day for each slot and level. `notify` never rejects. */
export function watchDays(options: { readonly clock: () => number; readonly notify: (used: DayUsed) => Promise<void> }): DayWatch {
  const { clock, notify } = options
  const reported = new Map<string, { readonly date: string; readonly level: UsageLevel }>()
  const underWay = new Set<Promise<void>>()
  return {
    see: (key, { by, quotas }) => {
      const day = quotas.find(isDay)
      // A process that limits alone does not know what others admit.
      if (!day || by !== 'redis') return
      const level = levelOf(day)
      if (level === null) return
      const date = madridDate(clock())
      const before = reported.get(key.slot)
      if (before?.date === date && before.level >= level) return
      if (reported.size >= MAX_REPORTED) reported.clear()
      reported.set(key.slot, { date, level })
      const notification: Promise<void> = notify({ key, level, date, limit: day.policy.limit }).finally(() => underWay.delete(notification))
      underWay.add(notification)
    },
    close: async () => {
      await Promise.all(underWay)
    },
  }
}

function isDay({ policy }: QuotaStatus): boolean {
  return policy.name === 'day'
}

function levelOf({ policy, remaining }: QuotaStatus): UsageLevel | null {
  const used_pct = ((policy.limit - remaining) / policy.limit) * 100
  return USAGE_LEVELS.findLast((level) => used_pct >= level) ?? null
}
