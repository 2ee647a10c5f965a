import { madridDate } from '../../../lake/schema/time.ts'
import { USAGE_LEVELS, type UsageLevel } from '../../../lake/usage/mails.ts'
import type { LiveKey } from '../key-index.ts'
import type { Charge, QuotaStatus } from '../limits/policy.ts'

/** Sees how much of their day keys have used. */
export interface DayWatch {
  /** Looks at what a key was charged, or refused; for every request, and at once. */
  see(key: LiveKey, charge: Charge): void
  /** Settles once everybody is told. */
  close(): Promise<void>
}

/** A key whose day is used up to a level. */
export interface DayUsed {
  readonly key: LiveKey
  readonly level: UsageLevel
  /** The day in Madrid: of each level is told once in one. */
  readonly date: string
  /** Requests that are admitted in any 24 hours. */
  readonly limit: number
}

/** Slots that are remembered as told; beyond, they are told of again, which the store then stops. */
const TOLD_MOST = 50_000

/** Makes a watch that tells of each slot and level once a day. `tell` never rejects. */
export function watchDays(options: { readonly clock: () => number; readonly tell: (used: DayUsed) => Promise<void> }): DayWatch {
  const { clock, tell } = options
  const told = new Map<string, { readonly date: string; readonly level: UsageLevel }>()
  const underWay = new Set<Promise<void>>()
  return {
    see: (key, { by, quotas }) => {
      const day = quotas.find(isDay)
      // A process that limits alone does not know what others admit.
      if (!day || by !== 'redis') return
      const level = levelOf(day)
      if (level === null) return
      const date = madridDate(clock())
      const before = told.get(key.slot)
      if (before?.date === date && before.level >= level) return
      if (told.size >= TOLD_MOST) told.clear()
      told.set(key.slot, { date, level })
      const telling: Promise<void> = tell({ key, level, date, limit: day.policy.limit }).finally(() => underWay.delete(telling))
      underWay.add(telling)
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
