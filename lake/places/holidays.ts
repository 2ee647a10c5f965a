/** Holidays of all Spain with a fixed date, MM-DD. */
const OF_SPAIN = ['01-01', '01-06', '05-01', '08-15', '10-12', '11-01', '12-06', '12-08', '12-25']
/** Further fixed holidays in Madrid: of the community, and of the city's two patrons. */
const OF_MADRID = ['05-02', '05-15', '11-09']
const DAY_MS = 86_400_000

/**
 * Additional holidays of single years: Sundays moved to Monday, San José, Santiago and similar. Sources: the city's calendar
 * (datos.madrid.es, 300082) for 2013 to 2018, then the community's yearly decree (BOCM, each September) and the city council. To
 * add a year, also raise the revision of `corridor_hours`.
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
  2027: ['03-19', '05-03'],
}

/** The last year with known additional holidays; later years only have the general ones. */
export const HOLIDAYS_UNTIL = Math.max(...Object.keys(OF_YEARS).map(Number))

/** Definition of a holiday, for descriptions. */
export const ABOUT_HOLIDAYS =
  'Holidays are those of the city (outside cities, of Madrid): those with a fixed date, those by Easter, and days set by decree for single years, ' +
  `known until ${HOLIDAYS_UNTIL}.`

/**
 * The holidays of a year in Madrid, YYYY-MM-DD, in order: fixed dates (also on Sundays), Holy Thursday, Good Friday and those of
 * that year only.
 */
export function madridHolidays(year: number): string[] {
  const easter = easterOf(year)
  const before = (days: number): string => new Date(easter - days * DAY_MS).toISOString().slice(0, 10)
  const dated = [...OF_SPAIN, ...OF_MADRID, ...(OF_YEARS[year] ?? [])].map((day) => `${year}-${day}`)
  return [...dated, before(3), before(2)].sort()
}

/** Holidays of a city besides Spain's. */
interface CityDays {
  /** Fixed dates, MM-DD. */
  readonly dated: readonly string[]
  /** Days after Easter Sunday; −2 is Good Friday. */
  readonly afterEaster: readonly number[]
  /** Further days by year: set by decree of the community, or by the council. */
  readonly ofYears: Readonly<Record<number, readonly string[]>>
  /** Days of the rules that were working days, by year. */
  readonly not?: Readonly<Record<number, readonly string[]>>
}

/**
 * Other cities. Sources: the yearly relation of the BOE (2026: BOE-A-2025-21667), decrees of the communities and orders of local
 * holidays. San Juan is in Valencia's decrees of 2019 to 2026, not of 2027; San José in the Basque decrees of the years given.
 */
const OF_CITIES: Readonly<Record<string, CityDays>> = {
  barcelona: {
    dated: ['06-24', '09-11', '09-24', '12-26'],
    afterEaster: [-2, 1, 50],
    // The Mercè moves from a Sunday, in 2022 from a Saturday.
    ofYears: { 2015: ['06-01'], 2016: ['02-12'], 2017: ['09-25'], 2022: ['09-26'], 2023: ['06-05', '09-25'] },
    not: { 2015: ['05-25'], 2023: ['05-29'] },
  },
  valencia: {
    dated: ['01-22', '03-19', '10-09'],
    afterEaster: [-2, 1, 8],
    ofYears: {
      ...{ 2015: ['12-07'], 2016: ['03-24', '12-26'], 2017: ['04-13'], 2019: ['06-24'], 2020: ['06-24'], 2021: ['06-24'] },
      ...{ 2022: ['04-14', '06-24'], 2023: ['04-24', '06-24'], 2024: ['06-24'], 2025: ['06-24'], 2026: ['06-24'] },
    },
  },
  bilbao: {
    dated: ['07-25', '07-31'],
    afterEaster: [-3, -2, 1],
    ofYears: {
      ...{ 2015: ['03-19'], 2016: ['10-07'], 2019: ['03-19'], 2020: ['03-19'], 2021: ['03-19'], 2022: ['09-06'] },
      ...{ 2026: ['03-19'], 2027: ['03-19'] },
    },
    not: { 2018: ['07-25'] },
  },
}

/** The holidays of a year in a city, YYYY-MM-DD, in order; Madrid's for a city without a list. */
export function cityHolidays(city: string, year: number): string[] {
  const own = OF_CITIES[city]
  if (!own) return madridHolidays(year)
  const easter = easterOf(year)
  const moving = own.afterEaster.map((days) => new Date(easter + days * DAY_MS).toISOString().slice(0, 10))
  const working = (own.not?.[year] ?? []).map((day) => `${year}-${day}`)
  const days = [...[...OF_SPAIN, ...own.dated, ...(own.ofYears[year] ?? [])].map((day) => `${year}-${day}`), ...moving]
  return [...days, ...(city === 'bilbao' ? [asteNagusiaFriday(year)] : [])].filter((day) => !working.includes(day)).sort()
}

/** Bilbao's local holiday: the Friday of the fiestas, which begin on the first Saturday after 15 August. */
function asteNagusiaFriday(year: number): string {
  const assumption = Date.UTC(year, 7, 15)
  const toSaturday = 7 - ((new Date(assumption).getUTCDay() + 1) % 7)
  return new Date(assumption + (toSaturday + 6) * DAY_MS).toISOString().slice(0, 10)
}

/** Easter Sunday (Gregorian; Meeus, Jones and Butcher), as midnight UTC, ms. */
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
