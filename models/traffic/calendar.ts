import { madridHolidays } from '../../lake/places/holidays.ts'

const DAY_MS = 86_400_000
const SATURDAY = 5
/** Days back to search for holidays. */
export const HOLIDAY_DAYS = 150
const SUNDAY = 6

/** Kinds of days without a usual profile of their own; a day may have several. See `kindsOf`. */
export const DAY_KINDS = [
  'holiday',
  'holiday_weekend',
  'eve',
  'day_after',
  'bridge',
  'sunday_before_holiday',
  'near_weekend',
  'holiday_to_weekend',
  'holiday_from_weekend',
  'holy_thursday',
  'good_friday',
  'holy_week',
  'christmas',
  'august',
] as const
export type DayKind = (typeof DAY_KINDS)[number]

/** Calendar data of a day in Madrid. */
export interface CalendarDay {
  readonly isHoliday: boolean
  /** True for holidays, Saturdays and Sundays. */
  readonly isOff: boolean
  /** Day of the week, Monday is 0; holidays count as Sunday, 6. */
  readonly profile: number
  readonly kinds: ReadonlySet<DayKind>
}

const years = new Map<number, ReadonlySet<string>>()
const days = new Map<number, CalendarDay>()

/** Calendar data of a day, given as days since 1970. */
export function calendarDay(day: number): CalendarDay {
  const known = days.get(day)
  if (known) return known
  const isHoliday = isHolidayOn(day)
  const made = {
    isHoliday,
    isOff: isOffOn(day),
    profile: isHoliday ? SUNDAY : weekday(day),
    kinds: new Set(kindsOf(day)),
  }
  days.set(day, made)
  return made
}

const before = new Map<number, readonly number[]>()

/** The holidays from Monday to Friday in the five months before a day, latest first; all as days since 1970. */
export function holidaysBefore(day: number): readonly number[] {
  const known = before.get(day)
  if (known) return known
  const found = Array.from({ length: HOLIDAY_DAYS }, (_, back) => day - 1 - back).filter((former) =>
    calendarDay(former).kinds.has('holiday'),
  )
  before.set(day, found)
  return found
}

/** YYYY-MM-DD of days since 1970. */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

function kindsOf(day: number): DayKind[] {
  const [isHoliday, isOff, of] = [isHolidayOn(day), isOffOn(day), weekday(day)]
  const [isBefore, isAfter] = [isHolidayOn(day + 1), isHolidayOn(day - 1)]
  const isBridge = !isOff && ((isBefore && isOffOn(day - 1)) || (isAfter && isOffOn(day + 1)))
  const isNear = isBefore || isAfter || isHolidayOn(day + 2) || isHolidayOn(day - 2)
  const month = dateOf(day).slice(5, 7)
  const monthDay = dateOf(day).slice(5)
  const only = (kind: DayKind, is: boolean): DayKind[] => (is ? [kind] : [])
  return [
    ...only('holiday', isHoliday && of < SATURDAY),
    ...only('holiday_weekend', isHoliday && of >= SATURDAY),
    ...only('eve', !isOff && isBefore),
    ...only('day_after', !isOff && isAfter),
    ...only('bridge', isBridge),
    ...only('sunday_before_holiday', of === SUNDAY && !isHoliday && isBefore),
    ...only('near_weekend', isOff && !isHoliday && isNear),
    ...only('holiday_to_weekend', isHoliday && isOffOn(day + 1)),
    ...only('holiday_from_weekend', isHoliday && isOffOn(day - 1)),
    ...only('holy_thursday', isGoodFriday(day + 1)),
    ...only('good_friday', isGoodFriday(day)),
    ...only('holy_week', !isOff && [1, 2, 3, 4, 5].some((days) => isGoodFriday(day + days) || isGoodFriday(day - days))),
    ...only('christmas', !isOff && (monthDay >= '12-23' || monthDay <= '01-07')),
    ...only('august', !isOff && month === '08'),
  ]
}

/** Good Friday is the only holiday on a Friday after a holiday between mid-March and the end of April. */
function isGoodFriday(day: number): boolean {
  const monthDay = dateOf(day).slice(5)
  return weekday(day) === 4 && monthDay > '03-19' && monthDay < '04-24' && isHolidayOn(day) && isHolidayOn(day - 1)
}

function isHolidayOn(day: number): boolean {
  const date = dateOf(day)
  const year = Number(date.slice(0, 4))
  let ofYear = years.get(year)
  if (!ofYear) {
    ofYear = new Set(madridHolidays(year))
    years.set(year, ofYear)
  }
  return ofYear.has(date)
}

function isOffOn(day: number): boolean {
  return weekday(day) >= SATURDAY || isHolidayOn(day)
}

/** Monday is 0; 1970 began on a Thursday. */
function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}
