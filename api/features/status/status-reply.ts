import { isoInstant } from '../../../lake/schema/time.ts'
import type { Language } from '../../kernel/language.ts'
import { PROMISE_PCT } from '../../kernel/promise.ts'
import type { StatusReport } from './report.ts'
import { METHOD, reasonText } from './texts.ts'

/** Returns a report for programs. */
export function statusReply(report: StatusReport, language: Language): Readonly<Record<string, unknown>> {
  const { state, reasons, as_of, source_mode, ready, feeds, delivery, month, uptime, groups } = report
  return {
    state,
    reasons: reasons.map((one) => ({
      code: one.code,
      of: one.of,
      text: reasonText(one, { language, groups: groups.map(({ group }) => group), feeds }),
    })),
    as_of: isoInstant(as_of),
    source_mode,
    redis: ready.redis,
    lake: ready.lake,
    feeds: feeds.map((feed) => ({
      ...feed,
      name: feed.name[language],
      last_success_at: instant(feed.last_success_at),
      data_time: instant(feed.data_time),
      failing_since: instant(feed.failing_since),
      next_attempt_at: instant(feed.next_attempt_at),
    })),
    delivery,
    uptime: {
      ...{ month, timezone: 'UTC', promise_pct: PROMISE_PCT, method: METHOD[language] },
      measured_from: instant(uptime?.measured_from ?? null),
      measured_until: instant(uptime?.measured_until ?? null),
      minutes: uptime?.minutes ?? null,
      minutes_without_heartbeat: uptime?.silent ?? null,
      outages: (uptime?.outages ?? []).map(({ group, from, until, minutes }) => ({
        ...{ group, from: instant(from), until: instant(until), down_minutes: minutes },
      })),
      groups: groups.map(({ group, ...figures }) => ({
        group: group.id,
        title: group.title[language],
        paths: [...group.paths],
        ...figures,
      })),
    },
  }
}

function instant(at: number | null): string | null {
  return at === null ? null : isoInstant(at)
}
