import { randomUUID } from 'node:crypto'
import type { ObjectStore } from '../store/store.ts'

/** Usage levels at which a key's owner is notified, in per cent of the daily limit. */
export const USAGE_LEVELS = [80, 100] as const
export type UsageLevel = (typeof USAGE_LEVELS)[number]

const ROOT = 'usage/mails/'

/** Claims the notification of a slot at a level on a date: true for the first caller in any process, false afterwards. */
export function claimUsageMail(
  store: ObjectStore,
  notification: { readonly date: string; readonly slot: string; readonly level: UsageLevel },
): Promise<boolean> {
  const { date, slot, level } = notification
  return store.putIfAbsent(`${ROOT}${date}/${slot}-${level}`, Buffer.from(randomUUID()))
}

/** Claims before a date, as object names. */
export async function usageMailsBefore(store: ObjectStore, date: string): Promise<string[]> {
  const names: string[] = []
  for await (const { key } of store.list(ROOT)) {
    if (key >= `${ROOT}${date}`) break
    names.push(key)
  }
  return names
}
