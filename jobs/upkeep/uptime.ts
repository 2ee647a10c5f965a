import { CLOSED_AFTER_MS, firstHour, minutesBefore, readMinutes } from '../../lake/minutes/objects.ts'
import { dateOf, dayObject, daysOf, encodeDay, listDays, takeUptime } from '../../lake/uptime/days.ts'
import { DAYS_KEPT } from '../../lake/uptime/months.ts'
import { UPTIME } from '../../lake/uptime/objects.ts'
import type { IngestContext } from '../ingest/context.ts'

const DAY_MS = 86_400_000

/**
 * Merges the objects of each ended UTC day into one, then deletes the parts, and days that are no longer shown. Safe to resume
 * after a crash at any step: a day's object is written once and takes precedence over its parts.
 */
export async function gatherUptime({ store, log }: Pick<IngestContext, 'store' | 'log'>, signal: AbortSignal): Promise<void> {
  const now = await store.now()
  for (;;) {
    signal.throwIfAborted()
    const first = await firstHour(store, UPTIME, 0)
    const begin = first === null ? null : Math.floor(first / DAY_MS) * DAY_MS
    if (begin === null || begin + DAY_MS + CLOSED_AFTER_MS > now) break
    const parts = await readMinutes(store, UPTIME, { from: begin, to: begin + DAY_MS, take: takeUptime })
    const date = dateOf(begin)
    const day = daysOf(parts.values()).get(date)
    if (day && (await store.putIfAbsent(dayObject(date), encodeDay(day))))
      log.info({ date, objects: parts.size }, 'uptime of a day gathered')
    for (const name of await minutesBefore(store, UPTIME, begin + DAY_MS)) await store.delete(name)
  }
  for await (const date of listDays(store, { from: '', to: dateOf(now - DAYS_KEPT * DAY_MS) })) {
    signal.throwIfAborted()
    await store.delete(dayObject(date))
  }
}
