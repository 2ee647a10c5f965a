import type { Variant } from '../publisher.ts'
import { keptOf } from '../publisher.ts'
import type { FerryLine, FerryOperator, Season } from '../world/ferry-lines.ts'
import { packZip } from './zip.ts'

/** Months that a timetable covers. */
const MONTHS = 12
const DAY = 86_400_000
/** The season of a month, 0 for January. */
const seasonOf = (month: number): Season => (month >= 5 && month <= 8 ? 'SUMMER' : [3, 4, 9].includes(month) ? 'MID' : 'WINTER')
/** Minutes that a ferry stays in a port of call. */
const STAY = 45
const WEEK = [0, 1, 2, 3, 4, 5, 6]

/** A period of one season within a timetable. */
interface Span {
  readonly season: Season
  /** First and last day, YYYYMMDD. */
  readonly from: string
  readonly to: string
}

/** Sailings at one time of day, on some days of the week (0 for Monday). */
interface Departure {
  readonly minute: number
  readonly days: readonly number[]
}

/**
 * The GTFS archive of a ferry operator, for a year from the first of a month. It follows the standard: no real one was recorded.
 * There are no sailings at Christmas.
 */
export function ferryZip(operator: FerryOperator, { at, variant }: { readonly at: number; readonly variant: Variant }): Buffer {
  const spans = spansFrom(at)
  const trips = keptOf(
    operator.lines.flatMap((line) => tripsOf(line, spans)),
    variant,
  )
  const services = [...new Map(trips.map((trip) => [trip.service, trip])).values()]
  const calls = new Map(operator.lines.flatMap((line) => line.calls).map((one) => [one.id, one]))
  const [stop, shuttle] = [operator.bus?.[0], operator.headway_s]
  const cars = variant.hasUnknownCodes ? '7' : '1'
  const shuttleTrips = shuttle === null ? [] : (['DAY-0', 'DAY-1'] as const)
  const file = (name: string, header: string, lines: readonly string[]) => ({
    name,
    pieces: [Buffer.from(`${[header, ...lines].join('\r\n')}\r\n`)],
  })
  const always = `ALL,1,1,1,1,1,1,1,${spans[0]?.from},${spans.at(-1)?.to}`
  const members = [
    file('agency.txt', 'agency_id,agency_name,agency_url,agency_timezone,agency_lang', [
      `1,${operator.agency},${operator.url},${operator.zone},es`,
    ]),
    file(
      'stops.txt',
      'stop_id,stop_name,stop_lat,stop_lon,wheelchair_boarding',
      [...keptOf([...calls.values()], variant), ...(stop ? [{ ...stop, id: 'BUS', name: 'Parada de autobús' }] : [])].map(
        ({ id, name, lat, lon }) => `${id},"${name}",${lat},${lon},1`,
      ),
    ),
    file('routes.txt', 'route_id,agency_id,route_short_name,route_long_name,route_type', [
      ...operator.lines.map(({ id, calls: [first, ...rest], type }) => `${id},1,,"${first?.name} - ${rest.at(-1)?.name}",${type}`),
      ...(stop ? ['BUS,1,,Autobús al puerto,3'] : []),
    ]),
    file('calendar.txt', 'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date', [
      ...services.map(
        ({ service, days, span }) => `${service},${WEEK.map((day) => Number(days.includes(day))).join()},${span.from},${span.to}`,
      ),
      ...(stop || shuttle !== null ? [always] : []),
    ]),
    file(
      'calendar_dates.txt',
      'service_id,date,exception_type',
      services.flatMap(({ service, span }) => {
        const christmas = [span.from.slice(0, 4), span.to.slice(0, 4)].map((year) => `${year}1225`)
        return [...new Set(christmas)].filter((day) => day >= span.from && day <= span.to).map((day) => `${service},${day},2`)
      }),
    ),
    file('trips.txt', 'route_id,service_id,trip_id,trip_headsign,direction_id,cars_allowed,bikes_allowed,wheelchair_accessible', [
      ...trips.map(({ id, line, service, direction, calls }) => {
        const hasCars = line.type === 1014 ? '2' : cars
        return `${line.id},${service},${id},"${calls.at(-1)?.name}",${direction},${hasCars},1,1`
      }),
      ...shuttleTrips.map((id, direction) => `${operator.lines[0]?.id},ALL,${id},,${direction},${cars},1,1`),
      ...(stop ? ['BUS,ALL,BUS-1,Puerto,0,,,'] : []),
    ]),
    file('stop_times.txt', 'trip_id,arrival_time,departure_time,stop_id,stop_sequence', [
      ...trips.flatMap(stopLines),
      ...shuttleTrips.flatMap((id, direction) => {
        const [one, other] = direction === 0 ? (['POR', 'ARE'] as const) : (['ARE', 'POR'] as const)
        return [`${id},06:00:00,06:00:00,${one},1`, `${id},06:01:30,06:01:30,${other},2`]
      }),
      ...(stop ? ['BUS-1,06:00:00,06:00:00,BUS,1', `BUS-1,07:00:00,07:00:00,${stop.id},2`] : []),
    ]),
    ...(shuttle === null
      ? []
      : [
          file(
            'frequencies.txt',
            'trip_id,start_time,end_time,headway_secs,exact_times',
            shuttleTrips.map((id) => `${id},06:00:00,22:00:00,${shuttle},0`),
          ),
        ]),
  ]
  return packZip(members, at)
}

/** The seasons of a year that starts with the month of an instant (ms). */
function spansFrom(at: number): readonly Span[] {
  const start = new Date(at)
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth()]
  const spans: { season: Season; from: string; to: string }[] = []
  for (let nth = 0; nth < MONTHS; nth++) {
    const season = seasonOf((month + nth) % 12)
    const to = plain(Date.UTC(year, month + nth + 1, 1) - DAY)
    const before = spans.at(-1)
    if (before?.season === season) before.to = to
    else spans.push({ season, from: plain(Date.UTC(year, month + nth, 1)), to })
  }
  return spans
}

function plain(at: number): string {
  return new Date(at).toISOString().slice(0, 10).replaceAll('-', '')
}

interface Trip extends Departure {
  readonly id: string
  readonly line: FerryLine
  readonly service: string
  readonly span: Span
  readonly direction: 0 | 1
  readonly calls: FerryLine['calls']
  readonly minutes: readonly number[]
}

function tripsOf(line: FerryLine, spans: readonly Span[]): Trip[] {
  return spans.flatMap((span) =>
    ([0, 1] as const).flatMap((direction) =>
      departuresOf(line.perWeek[span.season], line.hours, direction).map((departure) => ({
        ...departure,
        id: `${line.id}-${direction}-${span.from.slice(2, 6)}-${String(departure.minute).padStart(4, '0')}`,
        line,
        service: `${span.season}-${span.from}-${departure.days.join('')}`,
        span,
        direction,
        calls: direction === 0 ? line.calls : line.calls.toReversed(),
        minutes: direction === 0 ? line.minutes : line.minutes.toReversed(),
      })),
    ),
  )
}

/** Sailings spread over the week, and over a day from the first to the last hour; return trips leave half an hour later. */
function departuresOf(perWeek: number, [first, last]: readonly [number, number], direction: 0 | 1): readonly Departure[] {
  const byMinute = new Map<number, number[]>()
  for (const day of WEEK) {
    const count = Math.floor(((day + 1) * perWeek) / 7) - Math.floor((day * perWeek) / 7)
    for (let nth = 0; nth < count; nth++) {
      const hour = count === 1 ? last : first + ((last - first) * nth) / (count - 1)
      const minute = 5 * Math.round(12 * hour) + 30 * direction
      byMinute.set(minute, [...(byMinute.get(minute) ?? []), day])
    }
  }
  return [...byMinute].map(([minute, days]) => ({ minute, days }))
}

function stopLines({ id, calls, minutes, minute }: Trip): string[] {
  let at = minute
  return calls.map((call, nth) => {
    const arrival = at
    const departure = nth === 0 || nth === calls.length - 1 ? at : at + STAY
    at = departure + (minutes[nth] ?? 0)
    return `${id},${clock(arrival)},${clock(departure)},${call.id},${nth + 1}`
  })
}

function clock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00`
}
