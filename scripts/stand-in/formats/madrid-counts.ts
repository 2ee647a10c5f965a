import { instantOf } from '../../../lake/schema/time.ts'
import { chance } from '../random.ts'
import { type CountStation, countsOn } from '../world/madrid-counts.ts'

const HEADER = `FDIA;FEST;FSEN;${Array.from({ length: 12 }, (_, at) => `HOR${at + 1}`).join(';')}`
/** Lines of delimiters only after the last day. */
const BLANK_LINES = 40

/**
 * A month (YYYY-MM) of counts: byte order mark, LF, `;`, four lines per station and day; December's files have two-digit years.
 */
export function madridCounts(month: {
  readonly seed: number
  readonly month: string
  readonly stations: readonly CountStation[]
  /** Instant (ms) at which the counts end. */
  readonly until: number
  readonly share: number
  readonly hasUnknownCodes: boolean
}): string {
  const { seed, stations, until, hasUnknownCodes } = month
  const [year = '', number = ''] = month.month.split('-')
  // In some months every line ends with a delimiter, and lines of delimiters follow the last one.
  const isWide = chance(seed, 'wide counts', month.month) < 0.7
  const end = isWide ? ';' : ''
  const lines: string[] = []
  for (const [day, from] of sourceDays(seed, month.month)) {
    const counts = countsOn(seed, from)
    const over = hoursOver(day, until)
    if (over === 0) break
    const shown = `${day.slice(8)}/${number}/${number === '12' ? year.slice(2) : year}`
    for (const station of stations) {
      for (const direction of [1, 2] as const) {
        const hours = counts(station, direction).map((count, hour) => (hour < over ? count : ''))
        const sense = hasUnknownCodes && station.number === 3 && direction === 2 ? 3 : direction
        const name = `ES${String(station.number).padStart(2, '0')}`
        lines.push(`${shown};${name};${sense}-;${hours.slice(0, 12).join(';')}${end}`)
        if (over > 12) lines.push(`${shown};${name};${sense}=;${hours.slice(12).join(';')}${end}`)
      }
    }
  }
  const kept = lines.slice(0, Math.floor(lines.length * month.share))
  const blank = isWide ? new Array<string>(BLANK_LINES).fill(';'.repeat(15)) : []
  return `\ufeff${[HEADER + end, ...kept, ...blank].join('\n')}\n`
}

/** Completed hours of a day at an instant (ms), by Madrid's clock. */
function hoursOver(day: string, until: number): number {
  const hours = Array.from({ length: 24 }, (_, hour) => instantOf(day, `${String(hour).padStart(2, '0')}:00`) + 3_600_000)
  return hours.filter((end) => end <= until).length
}

/** The days of a month, each with the day whose counts it has: some days repeat the counts of a week before. */
function* sourceDays(seed: number, month: string): Generator<[day: string, from: string]> {
  const first = Date.parse(`${month}-01T00:00:00Z`)
  for (let at = 0; ; at++) {
    const day = new Date(first + at * 86_400_000).toISOString().slice(0, 10)
    if (!day.startsWith(month)) return
    const isCopy = at >= 7 && chance(seed, 'copied count day', day) < 0.03
    yield [day, isCopy ? new Date(first + (at - 7) * 86_400_000).toISOString().slice(0, 10) : day]
  }
}
