import { TRAFFIC_LEVELS } from '../../../lake/datasets/road/codes.ts'
import { SECTION_PERIOD_S, type SectionCity } from '../../../lake/datasets/road/section-cities.ts'
import type { trafficSectionStates } from '../../../lake/datasets/road/traffic-section-states.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { Diagnostics } from '../define.ts'
import { lookUp } from '../look-up.ts'
import { newestTime } from '../newest-time.ts'

export type SectionState = FeedRow<typeof trafficSectionStates>

/** A report this much older than the newest of its publication is not current, ms. */
const MAX_AGE_MS = 30 * 60_000

/** A section in a publication: its own time, and its measured or stated values. */
export type SectionReport = Pick<SectionState, 'section_id' | 'level' | 'observed_at'> & Partial<SectionState>

/** Maps a state to a level with the publisher's table; an unmapped state is counted, and its level UNKNOWN. */
export function levelOf(levels: Readonly<Record<string, string>>, state: string, notes: Pick<Diagnostics, 'unknownCode'>): string {
  const level = lookUp(levels, state)
  if (level === undefined) notes.unknownCode(TRAFFIC_LEVELS, state)
  return level ?? 'UNKNOWN'
}

/**
 * The states of a publication, and its newest time (ms), which no wrong clock of a section moves. A section whose report is more
 * than 30 minutes older is frozen: it has no data at the publication time, and `reported_at` is the time of its last report.
 */
export function sectionStates(
  place: SectionCity,
  reports: readonly SectionReport[],
  { fetchedAt, diagnostics }: { readonly fetchedAt: number; readonly diagnostics: Pick<Diagnostics, 'warn'> },
): { readonly newest: number; readonly states: SectionState[] } {
  const newest = newestTime(
    reports.map(({ observed_at }) => observed_at),
    fetchedAt,
  )
  const states = reports.map((report) => {
    const isFrozen = newest - report.observed_at > MAX_AGE_MS
    if (isFrozen) diagnostics.warn('a section whose report is more than 30 minutes old: no data')
    const { section_id, observed_at } = report
    const row: SectionState = {
      source: place.source,
      period_s: SECTION_PERIOD_S,
      city: place.city,
      source_state: null,
      forecast_15min_level: null,
      source_forecast_state: null,
      level_basis: 'PUBLISHED',
      intensity_veh_h: null,
      occupancy_pct: null,
      speed_kmh: null,
      reported_at: null,
      ...report,
    }
    if (!isFrozen) return row
    const nothing = { level: 'UNKNOWN', forecast_15min_level: null, intensity_veh_h: null, occupancy_pct: null, speed_kmh: null }
    return { ...row, ...nothing, section_id, observed_at: newest, reported_at: observed_at }
  })
  return { newest, states }
}
