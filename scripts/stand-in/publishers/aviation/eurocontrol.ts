import { fixtureStandIn, type RecordPlace } from '../../fixture.ts'
import type { Edition, FeedStandIn } from '../../publisher.ts'
import { AIRPORTS, type Airport } from '../../world/aviation/airports.ts'

const DAY = 86_400_000
const FOLDER = '/performance/data/download/csv'
/** Delay of a day's publication, in days. */
const PUBLISHED_AFTER = 2
/** Days in a small file. */
const FEW_DAYS = 40
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const LARGEST = AIRPORTS.slice(0, 12)

const firstDay = (year: string, later = 0): number => Date.UTC(Number(year) + later, 0) / DAY
/** The day (number since 1970) after the newest one in a year's file. */
const endOf = ({ resource, publishedAt }: Edition): number =>
  Math.min(firstDay(resource, 1), Math.floor(publishedAt / DAY) - PUBLISHED_AFTER)

/** The publisher's name of a file, its fixture, the number of a day's lines, and its columns by line and day. */
interface YearlyFile {
  readonly file: string
  readonly fixture: string
  readonly lines: number
  readonly fields: Readonly<Record<string, (line: number, day: number) => string>>
}

/** A file for each year, the newest day first. The publisher packs it by bzip2; here it is plain text. */
function yearly(feed: string, { file, fixture, lines, fields }: YearlyFile): FeedStandIn {
  const named = new RegExp(`^${file}_(\\d{4})\\.csv\\.bz2$`)
  const columns = {
    YEAR: (_line: number, day: number) => isoOf(day).slice(0, 4),
    MONTH_NUM: (_line: number, day: number) => String(Number(isoOf(day).slice(5, 7))),
    MONTH_MON: (_line: number, day: number) => MONTHS[Number(isoOf(day).slice(5, 7)) - 1] as string,
    FLT_DATE: (_line: number, day: number) => isoOf(day),
    ...fields,
  }
  return fixtureStandIn(feed, {
    file: fixture,
    records({ scale }, edition) {
      const days = Math.max(0, endOf(edition) - firstDay(edition.resource))
      return lines * (scale === 'small' ? Math.min(FEW_DAYS, days) : days)
    },
    fields: Object.fromEntries(
      Object.entries(columns).map(([name, of]) => [
        name,
        (_text: string, { nth, edition }: RecordPlace<number>) => of(nth % lines, endOf(edition) - 1 - Math.floor(nth / lines)),
      ]),
    ),
    route(path) {
      const [, year] = (path.startsWith(`${FOLDER}/`) ? named.exec(path.slice(FOLDER.length + 1)) : null) ?? []
      return year !== undefined && Number(year) >= 2024 ? year : null
    },
    contentType: 'text/csv; charset=utf-8',
    captures: { folder: 'eurocontrol', archive: { resourceOf: (name) => named.exec(name)?.[1] ?? null } },
  })
}

const isoOf = (day: number): string => `${new Date(day * DAY).toISOString().slice(0, 10)}T00:00:00Z`

/** The columns of airports, with their departures or arrivals of a day. */
function airportColumns(airports: readonly Airport[]) {
  const of = (line: number): Airport => airports[line] as Airport
  const flights = (line: number, day: number): number => Math.round((of(line).movements_k / 0.73) * (0.9 + 0.02 * (day % 11)))
  return {
    flights,
    columns: {
      APT_ICAO: (line: number) => of(line).icao,
      APT_NAME: (line: number) => of(line).municipality,
      STATE_NAME: () => 'Spain',
      FLT_ARR_1: (line: number, day: number) => String(flights(line, day)),
    },
  }
}

const ALL = AIRPORTS.filter(({ movements_k }) => movements_k > 1)
const { flights, columns } = airportColumns(ALL)
const traffic = yearly('eurocontrol_traffic', {
  ...{ file: 'airport_traffic', fixture: '2024.csv', lines: ALL.length },
  fields: {
    ...columns,
    FLT_DEP_1: columns.FLT_ARR_1,
    FLT_TOT_1: (line, day) => String(2 * flights(line, day)),
    // Airports' own numbers.
    ...{ FLT_DEP_IFR_2: columns.FLT_ARR_1, FLT_ARR_IFR_2: columns.FLT_ARR_1 },
    FLT_TOT_IFR_2: (line, day) => String(2 * flights(line, day)),
  },
})

const arrivalDelays = yearly('eurocontrol_arrival_delays', {
  ...{ file: 'apt_dly', fixture: '2024.csv', lines: LARGEST.length, fields: airportColumns(LARGEST).columns },
})

const ansp = yearly('eurocontrol_enroute_ansp', {
  ...{ file: 'ert_dly_ansp', fixture: '2024.csv', lines: 2 },
  fields: { ENTITY_NAME: (line) => ['DSNA', 'ENAIRE'][line] as string, ENTITY_TYPE: () => 'ANSP (AUA)' },
})

const fir = yearly('eurocontrol_enroute_fir', { file: 'ert_dly_fir', fixture: '2018.csv', lines: 4, fields: {} })

/** EUROCONTROL: daily statistics of airports and airspace, a file for each year. */
export const eurocontrol: readonly FeedStandIn[] = [traffic, arrivalDelays, ansp, fir]
