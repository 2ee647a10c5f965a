/** What a report states about visibility and clouds. */
interface MetarGroups {
  /** Prevailing visibility, m; null if the report has none in metres. */
  readonly visibility_m: number | null
  /** True for `9999` and `CAVOK`: 10 km or more. */
  readonly isExceeded: boolean
  /** True for `////`: the sensor gave nothing. */
  readonly isUnknown: boolean
  /** The word for a sky without clouds of note: `SKC`, `NSC`, `NCD`, `CLR` or `CAVOK`; null without one. */
  readonly clear: string | null
}

const MOST_M = 10_000
/** Trends and remarks follow: their visibility and clouds are not the present ones. */
const AFTER = /^(?:TEMPO|BECMG|NOSIG|RMK)$/
const VISIBILITY = /^(CAVOK|\/{4}|(\d{4})(?:NDV)?)$/
const CLEAR = /^(?:SKC|NSC|NCD|CLR|CAVOK)$/

/** Reads the groups of a METAR (WMO-No. 306, FM 15: VVVV in metres, 9999 for 10 km or more). */
export function metarGroups(report: string): MetarGroups {
  const words = report.trim().replace(/=$/, '').split(/\s+/)
  const end = words.findIndex((word) => AFTER.test(word))
  const present = end < 0 ? words : words.slice(0, end)
  const [, group, metres] = present.map((word) => VISIBILITY.exec(word)).find((match) => match !== null) ?? []
  const isExceeded = group === 'CAVOK' || metres === '9999'
  return {
    visibility_m: isExceeded ? MOST_M : metres === undefined ? null : Number(metres),
    isExceeded,
    isUnknown: group?.startsWith('/') ?? false,
    clear: present.find((word) => CLEAR.test(word)) ?? null,
  }
}
