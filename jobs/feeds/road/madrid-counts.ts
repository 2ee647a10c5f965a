import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficCountStations, trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { readCsv } from '../../formats/csv.ts'
import { wholeNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { batch, type Diagnostics, defineFeed, FormatError } from '../define.ts'
import { csvFeed } from '../kit/record-feed.ts'
import { type HourStart, localHours } from '../local-hours.ts'
import { MADRID_PLACE } from './madrid-places.ts'
import { monthlyFiles, portalList } from './madrid-portal.ts'

type Count = FeedRow<typeof trafficCountsHourly>

const HOURS = Array.from({ length: 12 }, (_, at) => `HOR${at + 1}`)
/** Direction and half of the day: `-` has the hours from midnight, `=` those from noon. */
const SENSE = /^(.)([-=])$/
/** `31/12/2022`; in some files `31/12/22`. */
const DAY = /^(\d{2})\/(\d{2})\/(?:20)?(\d{2})$/
/** The counter's highest value. */
const CEILING = 9999
/** Stations where traffic reaches the counter's limit (the M-30); elsewhere the limit is an error. */
const BUSY = new Set(['ES20'])
/** Directions that one-way streets lack: those without a direction in the publisher's list of stations. They always count 0. */
const DEAD = new Set(['ES09 2', 'ES10 1', 'ES12 2', 'ES17 2', 'ES19 2', 'ES25 2', 'ES34 2', 'ES44 2', 'ES45 2'])
const PERIOD = /^\d{4}-\d{2}$/

/** The dataset's files in the portal's list: each month as one CSV. */
const MONTHLY_CSV = /\/300233-\d+-aforo-trafico-permanentes[^/]*\.csv$/i

/**
 * Madrid's permanent count stations, one file per month. The portal numbers its files arbitrarily, so its list (CKAN) is read;
 * it names files by year and month (`2025. Enero`), according to third parties.
 */
export const madridCounts = defineFeed({
  id: 'madrid_counts',
  source: madrid,
  into: [trafficCountsHourly],
  every_s: 86_400,
  get: {
    name: 'month',
    url: 'https://datos.madrid.es/egob/catalogo/300233-85-aforo-trafico-permanentes.csv',
    maxBytes: 16_000_000,
    expects: 'csv',
  },
  archive: {
    unit: 'month',
    index: [portalList('300233-0-aforo-trafico-permanentes')],
    files: (index) => monthlyFiles(index, MONTHLY_CSV),
    recent: 2,
    history: 5,
  },
  freshBy: 'fetch',
  // The file of a running month grows from a few hours to all of them.
  bands: { traffic_counts_hourly: { atLeast: 100, minRatio: 0.9, maxRatio: 1000 } },
  *rows(bodies, _clock, diagnostics) {
    for (const { name, bytes } of bodies) {
      const { month, series } = readSeries(bytes, PERIOD.test(name) ? name : null, diagnostics)
      const hours = new Map<string, readonly HourStart[]>()
      for (const [key, days] of series) {
        const [station_id = '', direction = ''] = key.split(' ')
        yield batch(trafficCountsHourly, [...countsOf({ month, station_id, direction, days, hours })])
      }
    }
  },
})

/** A station's counts of one direction: 24 hours by day. Hours of a missing half day are undefined. */
type Series = Map<string, (number | null | undefined)[]>

/** The counts of a file by station and direction. A file has one month: the requested one, else that of its first day. */
function readSeries(bytes: Buffer, asked: string | null, diagnostics: Diagnostics): { month: string; series: Map<string, Series> } {
  const table = readCsv(decodeText(bytes), { delimiter: ';', requires: ['FDIA', 'FEST', 'FSEN', ...HOURS], endsLines: true })
  for (const { line, text } of table.misshapen)
    if (/[^;\s]/.test(text)) diagnostics.reject(trafficCountsHourly, 'another number of fields', `line ${line}: ${text}`)
  const [dayAt, stationAt, senseAt] = [table.at('FDIA'), table.at('FEST'), table.at('FSEN')]
  const hoursAt = HOURS.map((name) => table.at(name))
  const series = new Map<string, Series>()
  let month = asked
  let last = ''
  for (const record of table.records) {
    // From 2022 on, some 17,000 lines of bare delimiters follow the last day.
    if (record.every((field) => field.trim() === '')) continue
    const refuse = (reason: string): void => diagnostics.reject(trafficCountsHourly, reason, record.join(';'))
    const day = dayOf(record[dayAt] as string)
    const [, direction, half] = SENSE.exec((record[senseAt] as string).trim()) ?? []
    const station = (record[stationAt] as string).trim()
    if (day === null || station === '' || !direction) {
      refuse(day === null ? 'FDIA is no day' : station === '' ? 'no FEST' : 'FSEN names no direction and half of the day')
      continue
    }
    month ??= day.slice(0, 7)
    if (!day.startsWith(month)) {
      refuse('a day of another month than the file')
      continue
    }
    const key = `${station} ${direction}`
    const days: Series = series.get(key) ?? new Map()
    const counts = days.get(day) ?? new Array<undefined>(24).fill(undefined)
    const first = half === '-' ? 0 : 12
    if (counts[first] !== undefined) {
      refuse('a half of a day comes twice')
      continue
    }
    for (const [at, column] of hoursAt.entries()) counts[first + at] = wholeNumber(record[column] as string)
    series.set(key, days.set(day, counts))
    if (day > last) last = day
  }
  if (month === null) throw new FormatError('the file has no day')
  // The last day of a running month only has past hours: the rest is not counted yet, and not a fault.
  for (const days of series.values()) dropBlankEnd(days.get(last))
  return { month, series }
}

function dropBlankEnd(counts: (number | null | undefined)[] | undefined): void {
  for (let hour = 23; hour >= 0 && counts && (counts[hour] ?? null) === null; hour--) counts[hour] = undefined
}

function dayOf(text: string): string | null {
  const [, day, month, year] = DAY.exec(text.trim()) ?? []
  return year === undefined ? null : `20${year}-${month}-${day}`
}

function* countsOf(of: {
  readonly month: string
  readonly station_id: string
  readonly direction: string
  readonly days: Series
  readonly hours: Map<string, readonly HourStart[]>
}): Generator<Count> {
  const { month, station_id, direction, days, hours } = of
  const isDead = DEAD.has(`${station_id} ${direction}`)
  const alike = new Map<string, number>()
  for (const counts of days.values()) alike.set(counts.join(), (alike.get(counts.join()) ?? 0) + 1)
  for (const [local_date, counts] of days) {
    const isZero = counts.every((count) => count === 0)
    const isCopied = counts.every((count) => count !== undefined) && (alike.get(counts.join()) as number) > 1
    const ofDay = isZero ? (isDead ? 'DEAD_DIRECTION' : 'OUTAGE') : isCopied ? 'COPIED_DAY' : null
    const starts = hours.get(local_date) ?? localHours(local_date)
    hours.set(local_date, starts)
    const day_starts_at = dayBounds(local_date).start
    for (const [hour, vehicles] of counts.entries()) {
      if (vehicles === undefined) continue
      const starts_at = starts[hour] as HourStart
      yield {
        source: MADRID_PLACE.source,
        month,
        station_id,
        direction,
        local_date,
        hour,
        day_starts_at,
        starts_at,
        is_clock_change: starts_at === null,
        // NaN is rejected by the row check.
        vehicles: vehicles ?? Number.NaN,
        quality: ofDay ?? (vehicles !== CEILING ? 'OK' : BUSY.has(station_id) ? 'CEILING' : 'ERROR'),
      }
    }
  }
}

/** Madrid's list of permanent count stations: two rows each, one per direction. */
export const madridCountStations = csvFeed({
  id: 'madrid_count_stations',
  source: madrid,
  into: trafficCountStations,
  every_s: 7 * 86_400,
  get: { url: 'https://datos.madrid.es/egob/catalogo/300233-70-aforo-trafico-permanentes.csv', maxBytes: 2_000_000 },
  freshBy: 'fetch',
  band: { atLeast: 20 },
  columns: { number: 'Estación', name: 'Nombre', latitude: 'Latitud', longitude: 'Longitud', sense: 'Sentido', heading: 'Orient.' },
  needs: ['number', 'name', 'latitude', 'longitude', 'sense'],
  // Decimal commas, but at one station decimal points.
  decimal: 'either',
  file: () => ({ seen: new Map<number, number>() }),
  row(r, { seen }) {
    const number = r.integer('number')
    const place = (seen.get(number) ?? 0) + 1
    seen.set(number, place)
    const sense = r.cell('sense')
    return {
      source: MADRID_PLACE.source,
      // Counts name station 1 ES01.
      station_id: `ES${String(number).padStart(2, '0')}`,
      // The missing direction of a one-way street has no number, only its place.
      direction: sense ?? String(place),
      name: r.text('name'),
      heading: r.text('heading'),
      is_counted: sense !== null,
      position: r.position('latitude', 'longitude'),
      municipality_code: MADRID_PLACE.municipality_code,
    }
  },
})
