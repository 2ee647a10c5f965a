import { randomUUID } from 'node:crypto'
import type { ObjectStore } from '../store/store.ts'

/** How much of a day's limit is used when its owner is told, in per cent. */
export const USAGE_LEVELS = [80, 100] as const
export type UsageLevel = (typeof USAGE_LEVELS)[number]

const ROOT = 'usage/mails/'

/** Takes it on to tell of a slot, on a date, that it is at a level: true for one that asks, whatever process it is in, and false from then on. */
export function claimUsageMail(
  store: ObjectStore,
  told: { readonly date: string; readonly slot: string; readonly level: UsageLevel },
): Promise<boolean> {
  const { date, slot, level } = told
  return store.putIfAbsent(`${ROOT}${date}/${slot}-${level}`, Buffer.from(randomUUID()))
}

/** What was claimed before a date, as names of objects. */
export async function usageMailsBefore(store: ObjectStore, date: string): Promise<string[]> {
  const names: string[] = []
  for await (const { key } of store.list(ROOT)) {
    if (key >= `${ROOT}${date}`) break
    names.push(key)
  }
  return names
}
