import { feedById } from '../../jobs/feeds/catalog.ts'
import type { FeedRequest } from '../../jobs/feeds/define.ts'
import { instantOf, parseInstant } from '../../lake/schema/time.ts'
import type { FeedStandIn } from './publisher.ts'
import { localTime } from './world/rhythm.ts'

/** The parts of a stand-in that differ from the default ones. */
type Given = Pick<FeedStandIn, 'write'> & Partial<Omit<FeedStandIn, 'feed'>>

/**
 * A feed as its publisher serves it. By default it is one document at the URL of the feed's declaration, published once in each
 * of the feed's intervals, with the validators of a file on a plain web server; it has no blocks and was never recorded.
 */
export function defineStandIn(id: string, given: Given): FeedStandIn {
  const { plans, every_s } = feedById(id)
  const [request] = plans[0]?.requests as [FeedRequest]
  const { hostname, pathname } = new URL(request.url)
  return {
    hosts: [hostname],
    path: pathname,
    route: (path) => (path === pathname ? 'all' : null),
    publishedAt: (_seed, now) => now - (now % (every_s * 1000)),
    contentType: request.accept.split(',')[0] as string,
    validators: 'etag',
    headers: {},
    blocks: { known: /^(?!)/, usual: [] },
    hasOldLayout: false,
    ...given,
    feed: id,
  }
}

/** The newest publication of a feed that is published once a month, at midnight in Madrid of a day of the month. */
export function monthlyOn(day: number): FeedStandIn['publishedAt'] {
  return (_seed, now) => {
    const local = localTime(now)
    const date = new Date(Date.UTC(local.year, local.month - 1 - (local.day < day ? 1 : 0), day))
    return instantOf(date.toISOString().slice(0, 10), '00:00')
  }
}

/** `20260910T222623+0200`, `2026-03-11T15-14-29Z`, `20251102T1600`, `2026-06-24` or `201702` in a file's name. */
const STAMP = /(\d{4})-?(\d\d)-?(\d\d)?(?:T(\d\d)-?(\d\d)-?(\d\d)?(?:(Z)|([+-]\d\d)(\d\d))?)?/

/**
 * When the captures whose names match were made, ms: `known`, an ISO time that may name groups of the pattern, or what their
 * names state. A time without a zone is Madrid's; a day or month stands for its beginning in UTC.
 */
export function capturesNamed(pattern: RegExp, known?: string): (file: string) => number | null {
  return (file) => {
    const [found] = pattern.exec(file) ?? []
    if (found === undefined) return null
    if (known !== undefined) return Date.parse(found.replace(pattern, known))
    const [, year, month, day = '01', hour, minute, second = '00', utc, hours, minutes] = STAMP.exec(file) ?? []
    if (year === undefined) return null
    const [date, time] = [`${year}-${month}-${day}`, `${hour}:${minute}:${second}`]
    if (hour === undefined) return Date.parse(date)
    return (utc ?? hours) ? parseInstant(`${date}T${time}${utc ?? `${hours}:${minutes}`}`) : instantOf(date, time)
  }
}
