/** Days off that have a date, MM-DD: those of all Spain. */
const OF_SPAIN = ['01-01', '01-06', '05-01', '08-15', '10-12', '11-01', '12-06', '12-08', '12-25']
/** Those of Madrid beside them: of the community, and of the city's two patrons. */
const OF_MADRID = ['05-02', '05-15', '11-09']
const DAY_MS = 86_400_000

/**
 * Days off of single years, on top of those: what falls on a Sunday and is kept on the Monday, and what a year has for it, such as San José or
 * Santiago. 2013 to 2018: the city's own calendar (datos.madrid.es, 300082); since then the yearly decree of the community of Madrid, published
 * in its gazette (BOCM) each September for the next year, and what the city's council moves. Years after the last one want theirs: nothing is guessed.
 * With a year that is added the revision of `corridor_hours` has to be raised, whose days may have been made without it.
 */
const OF_YEARS: Readonly<Record<number, readonly string[]>> = {
  2013: ['01-07', '03-18'],
  2014: ['06-19', '11-10'],
  2015: ['03-19', '06-04'],
  2016: ['07-25', '12-26'],
  2017: ['03-20'],
  2019: ['01-07', '12-09'],
  2020: ['11-02', '12-07'],
  2021: ['03-19', '05-03'],
  2022: ['05-16', '07-25', '12-26'],
  2023: ['03-20'],
  2024: ['07-25'],
  2025: ['07-25', '11-10'],
  2026: ['11-02', '12-07'],
}

/** The last year whose own days off are known; of later ones there are those that every year has. */
export const HOLIDAYS_UNTIL = Math.max(...Object.keys(OF_YEARS).map(Number))

/** What is called a holiday, for descriptions. */
export const ABOUT_HOLIDAYS =
  'Holidays are those of the city of Madrid: those with a date, Holy Thursday and Good Friday, and what decrees give to single years, ' +
  `known until ${HOLIDAYS_UNTIL}.`

/**
 * The holidays of a year in the city of Madrid, YYYY-MM-DD, in order: those that have a date, also where that is a Sunday, Holy Thursday and Good
 * Friday, and those of the year alone.
 */
export function madridHolidays(year: number): string[] {
  const easter = easterOf(year)
  const before = (days: number): string => new Date(easter - days * DAY_MS).toISOString().slice(0, 10)
  const dated = [...OF_SPAIN, ...OF_MADRID, ...(OF_YEARS[year] ?? [])].map((day) => `${year}-${day}`)
  return [...dated, before(3), before(2)].sort()
}

/**
 * Days off that other cities have every year beside those of Spain: with a date, and by days after Easter Sunday (−2 is Good Friday). Days that
 * a decree or a council sets for a single year are not known.
 */
const OF_CITIES: Readonly<Record<string, { readonly dated: readonly string[]; readonly afterEaster: readonly number[] }>> = {
  barcelona: { dated: ['06-24', '09-11', '09-24', '12-26'], afterEaster: [-2, 1, 50] },
  valencia: { dated: ['01-22', '03-19', '10-09'], afterEaster: [-2, 1, 8] },
  bilbao: { dated: ['07-25', '07-31'], afterEaster: [-3, -2, 1] },
}

/** The holidays of a year in a city, YYYY-MM-DD, in order: Madrid's with those of single years, of other cities those of every year. */
export function cityHolidays(city: string, year: number): string[] {
  const own = OF_CITIES[city]
  if (!own) return madridHolidays(year)
  const easter = easterOf(year)
  const moving = own.afterEaster.map((days) => new Date(easter + days * DAY_MS).toISOString().slice(0, 10))
  return [...[...OF_SPAIN, ...own.dated].map((day) => `${year}-${day}`), ...moving].sort()
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
