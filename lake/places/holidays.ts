/** Days off that have a date, MM-DD: those of all Spain. */
const OF_SPAIN = ['01-01', '01-06', '05-01', '08-15', '10-12', '11-01', '12-06', '12-08', '12-25']
/** Those of Madrid beside them: of the community, and of the city's two patrons. */
const OF_MADRID = ['05-02', '05-15', '11-09']
const DAY_MS = 86_400_000

/**
 * The holidays of a year in the city of Madrid, YYYY-MM-DD, in order: those that have a date, Holy Thursday and Good Friday. What a single year
 * moves to a Monday or adds is not among them.
 */
export function madridHolidays(year: number): string[] {
  const easter = easterOf(year)
  const before = (days: number): string => new Date(easter - days * DAY_MS).toISOString().slice(0, 10)
  return [...[...OF_SPAIN, ...OF_MADRID].map((day) => `${year}-${day}`), before(3), before(2)].sort()
}

/** Easter Sunday (Gregorian; Meeus, Jones and Butcher), as midnight in UTC, ms. */
function easterOf(year: number): number {
  const a = year % 19
  const [b, c] = [Math.floor(year / 100), year % 100]
  const [d, e] = [Math.floor(b / 4), b % 4]
  const f = Math.floor((b + 8) / 25)
  const g = Math.floor((b - f + 1) / 3)
  const h = (19 * a + b - d - g + 15) % 30
  const [i, k] = [Math.floor(c / 4), c % 4]
  const l = (32 + 2 * e + 2 * i - h - k) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const at = h + l - 7 * m + 114
  return Date.UTC(year, Math.floor(at / 31) - 1, (at % 31) + 1)
}
