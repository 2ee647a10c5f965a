import { railCalendar } from '../../../lake/datasets/rail/calendar.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { dayBounds, isoInstant, madridDate } from '../../../lake/schema/time.ts'
import { type Problem, problem, Refused } from '../../define/problems.ts'
import { defineSlice } from '../../define/slice.ts'
import { newestVersions, TIMETABLE_TABLES, timetableName, timetableVersions } from './timetable-versions.ts'

/** The time that the kept versions of a network's timetable are about: [from, to), ms since the epoch. */
export interface TimetableSpan {
  readonly network: string
  readonly from: number
  readonly to: number
}

/** The span of each network: from the begin of its oldest version to the end of the last service day of its newest. One key, the empty one. */
export const timetableSpans = defineSlice<readonly TimetableSpan[]>({
  name: 'rail timetable spans',
  from: TIMETABLE_TABLES,
  most: 1,
  async read(reader) {
    const versions = await timetableVersions(reader)
    const query = sql`
      SELECT network, timetable_version, max(service_date) AS service_date
      FROM ${scan(railCalendar, { timetable_version: { in: await newestVersions(reader) } })}
      GROUP BY network, timetable_version`
    const spans: TimetableSpan[] = []
    for await (const batch of reader.rows(query))
      for (const { network, timetable_version, service_date } of batch) {
        const oldest = versions.get(timetableName(timetable_version as string))?.at(-1)
        if (oldest) spans.push({ network: network as string, from: oldest.from, to: dayBounds(service_date as string).end })
      }
    return spans
  },
})

/**
 * The time that the timetables of all networks are about. Throws unless an instant (ms) lies in it: for what was asked for by name a refusal
 * of the parameter, else that there is no timetable of the present; and where a network has none at all.
 */
export function checkCovered(
  spans: readonly TimetableSpan[],
  asked: { readonly at: number; readonly parameter: string; readonly value: string | null; readonly networks: readonly string[] },
): Pick<TimetableSpan, 'from' | 'to'> {
  const own = spans.filter(({ network }) => asked.networks.includes(network))
  const names = asked.networks.join(' and ')
  if (asked.networks.some((name) => !own.some(({ network }) => network === name)))
    throw problem('feed-unavailable', `No timetable of ${names} has arrived yet.`, { retry_after_s: 30 })
  const [from, to] = [Math.max(...own.map((span) => span.from)), Math.min(...own.map((span) => span.to))]
  if (asked.at >= from && asked.at < to) return { from, to }
  if (asked.value === null) throw outOfDate(names, { from, to })
  const what =
    asked.parameter === 'date'
      ? `a date from ${madridDate(from)} to ${madridDate(to, -1)}`
      : `an instant from ${isoInstant(from)} until before ${isoInstant(to)}`
  throw new Refused(`expected ${what}, which the timetables of ${names} are about`, { parameter: asked.parameter, value: asked.value })
}

function outOfDate(names: string, { from, to }: { readonly from: number; readonly to: number }): Problem {
  const told = `The timetables of ${names} that have arrived are about ${madridDate(from)} to ${madridDate(to, -1)}.`
  return problem('feed-unavailable', told, { retry_after_s: 3600 })
}
