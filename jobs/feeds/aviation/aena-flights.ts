import { flights } from '../../../lake/datasets/aviation/flights.ts'
import { aena } from '../../../lake/datasets/aviation/sources.ts'
import { SPANISH_AIRPORTS, zoneOfAirport } from '../../../lake/places/airports.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { type Diagnostics, type FeedBody, FormatError, type Get, lookUp } from '../define.ts'
import { jsonList, type RecordFile, rawRecord, recordFeed } from '../kit/record-feed.ts'

/** A record of Aena as its JSON has it. */
export type AenaRecord = Readonly<Record<string, unknown>>

/** The member with a flight's other numbers. */
export const CODESHARES = 'codeshares'

/** Records that differ in any of these are different flights. */
const SAME = ['tipoVuelo', 'iataAena', 'iataOtro', 'fecha', 'horaProgramada'] as const
/** Two records of one flight may lack some of these, but never differ in them. */
const ALIKE = ['terminal', 'puertaPrimera', 'cintaPrimera', 'tipoAeronave', 'fechaEstimada', 'horaEstimada', 'estado'] as const

/** A text of a record; null if missing. Aena writes some missing values as the word `null`. */
function textOf(record: AenaRecord, name: string): string | null {
  const value = record[name]
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  return text === '' || text === 'null' ? null : text
}

/** The number of a flight, `IB438`; null without airline or number. */
export function flightNumber(record: AenaRecord): string | null {
  const [airline, number] = [textOf(record, 'iataCompania') ?? textOf(record, 'oaciCompania'), textOf(record, 'numVuelo')]
  return airline === null || number === null ? null : `${airline}${number.replace(/^0+(?=.)/, '')}`
}

/**
 * Merges the records of one flight, which each airline sells under its own number, into one with the lowest number and the others
 * as `codeshares`. An airline sells a flight once, so two records of one airline are two flights.
 */
export function mergeCodeshares(records: readonly AenaRecord[]): readonly AenaRecord[] {
  const groups = Map.groupBy(records, (record) => SAME.map((name) => textOf(record, name)).join('|'))
  return [...groups.values()].flatMap((group) => {
    const flights: AenaRecord[][] = []
    for (const record of group.toSorted(byNumber)) {
      const flight = flights.find((found) => found.every((other) => isOneFlight(other, record)))
      if (flight) flight.push(record)
      else flights.push([record])
    }
    return flights.map(([first, ...others]) => ({
      ...first,
      [CODESHARES]: others
        .flatMap((one) => flightNumber(one) ?? [])
        .sort()
        .join(),
    }))
  })
}

function isOneFlight(one: AenaRecord, other: AenaRecord): boolean {
  if (flightNumber(one) === null || flightNumber(other) === null) return false
  if (textOf(one, 'iataCompania') === textOf(other, 'iataCompania')) return false
  return ALIKE.every((name) => {
    const [here, there] = [textOf(one, name), textOf(other, name)]
    return here === null || there === null || here === there
  })
}

/** Partners have the high numbers: the operating airline's sort first. */
function byNumber(one: AenaRecord, other: AenaRecord): number {
  const [here, there] = [one, other].map((record) => Number(textOf(record, 'numVuelo')?.replace(/\D/g, '') ?? Number.NaN)) as [
    number,
    number,
  ]
  return here - there || String(flightNumber(one)).localeCompare(String(flightNumber(other)), 'en')
}

/** Airports that other companies run. */
const NOT_AENA = ['CDT', 'CQM', 'ILD', 'LEU', 'TEV']
const AENA_AIRPORTS = Object.keys(SPANISH_AIRPORTS).filter((iata) => !NOT_AENA.includes(iata))
/** By the letter that asks for them, for salidas and llegadas. */
const DIRECTIONS = { S: 'DEPARTURE', L: 'ARRIVAL' } as const
/** States by their codes. The meaning of BTR is unknown: it is kept, and counted. */
const STATES: Readonly<Record<string, string>> = {
  ...{ SCH: 'SCHEDULED', INI: 'SCHEDULED', HOR: 'ON_TIME', RET: 'DELAYED', EMB: 'BOARDING', BOR: 'BOARDING', ULL: 'LAST_CALL' },
  ...{ CER: 'GATE_CLOSED', FLY: 'EN_ROUTE', FNL: 'ON_APPROACH', LND: 'LANDED', IBK: 'ARRIVED', CAN: 'CANCELLED', DES: 'DIVERTED' },
}
/** States of the flight, not of the airport that it has left. */
const AIRBORNE: readonly string[] = ['EN_ROUTE', 'ON_APPROACH', 'LANDED', 'ARRIVED']
const DONE: readonly string[] = ['DEPARTED', 'LANDED', 'ARRIVED']
const UNDONE: readonly string[] = ['CANCELLED', 'DIVERTED']
const MINUTE_MS = 60_000
const HALF_DAY_MS = 43_200_000
/** Lists that have to answer, of two for each airport. */
const ENOUGH = 80
const DAY_FIRST = /^(\d{2})\/(\d{2})\/(\d{4})$/

/** Departures and arrivals as Aena's page shows them: a list for each airport and direction, in the airport's local time. */
export const aenaFlights = recordFeed(
  {
    id: 'aena_flights',
    source: aena,
    into: flights,
    every_s: 600,
    plans: [{ requests: AENA_AIRPORTS.flatMap((iata) => [request(iata, 'S'), request(iata, 'L')]), enough: ENOUGH }],
    terms: 'AENA_TERMS',
    freshBy: 'fetch',
    band: { atLeast: 100, minRatio: 0.6 },
    // At night an airport with few flights may have none.
    groups: { flights: { column: 'airport', least: 60 } },
    columns: {
      type: 'tipoVuelo',
      airline_iata: 'iataCompania',
      airline_icao: 'oaciCompania | compania',
      airline: 'nombreCompania',
      number: 'numVuelo',
      airport: 'iataAena',
      other_airport: 'iataOtro',
      other_city: 'ciudadIataOtro',
      date: 'fecha',
      time: 'horaProgramada',
      estimated_date: 'fechaEstimada',
      estimated_time: 'horaEstimada',
      state: 'estado',
      terminal: 'terminal',
      gate: 'puertaPrimera',
      belt: 'cintaPrimera',
      desk_from: 'mostradorDesde',
      desk_to: 'mostradorHasta',
      aircraft: 'tipoAeronave',
      codeshares: CODESHARES,
    },
    knows: ['puertaSegunda', 'cintaSegunda', 'salaPrimera', 'salaSegunda'],
    needs: ['type', 'number', 'airport', 'date', 'time', 'state'],
    emptyValues: ['null'],
    requireAny: {
      'an estimated time': ({ estimated_at }) => estimated_at !== null,
      'another airport': ({ other_airport }) => other_airport !== null,
    },
    duplicateWarning: 'a flight that is in the list twice',
    row(r) {
      const direction = lookUp(DIRECTIONS, r.text('type'))
      if (direction === undefined) throw new FormatError('tipoVuelo is neither S nor L')
      const [airport, date] = [r.text('airport'), dateOf(r.text('date'))]
      const zone = zoneOfAirport(airport)
      const scheduled_at = date === null ? Number.NaN : instantOf(date, r.text('time'), { zone })
      if (date === null || Number.isNaN(scheduled_at)) throw new FormatError('fecha and horaProgramada are no time')
      const [airline_iata, airline_icao] = [r.text('airline_iata'), r.text('airline_icao')]
      const number = flightNumber({ iataCompania: airline_iata, oaciCompania: airline_icao, numVuelo: r.text('number') })
      if (number === null) throw new FormatError('no airline')
      const state = stateOf(r.text('state'), direction)
      const estimated_at = r.parsed('estimated_time', 'time', (time) =>
        nearestInstant(dateOf(r.text('estimated_date') ?? '') ?? date, time, { zone, scheduled_at }),
      )
      const [from, to] = [r.text('desk_from'), r.text('desk_to')]
      return {
        source: aena.id,
        flight_id: [date, airport, direction, number].join('.'),
        ...{ airport, direction, flight_date: date, flight_number: number, airline_iata, airline_icao, airline: r.text('airline') },
        codeshares: r.cell('codeshares')?.split(',') ?? [],
        other_airport: r.text('other_airport'),
        other_city: r.text('other_city'),
        ...{ scheduled_at, estimated_at, actual_at: DONE.includes(state) ? estimated_at : null },
        delay_minutes: estimated_at === null || UNDONE.includes(state) ? null : Math.round((estimated_at - scheduled_at) / MINUTE_MS),
        state,
        source_state: r.text('state'),
        terminal: r.text('terminal'),
        gate: r.text('gate'),
        baggage_belt: r.text('belt'),
        checkin_desks: from === null || to === null || from === to ? (from ?? to) : `${from}-${to}`,
        aircraft_type: r.text('aircraft'),
      }
    },
  },
  openLists,
)

function request(iata: string, flightType: keyof typeof DIRECTIONS): Get {
  const url = `https://www.aena.es/sites/Satellite?pagename=AENA_ConsultarVuelos&airport=${iata}&flightType=${flightType}`
  return { name: `${iata}-${flightType}`, url, maxBytes: 8_000_000, expects: 'json' }
}

/** All lists as one file, with codeshares merged. An airport with a missing list is a missing block. */
function openLists(bodies: readonly FeedBody[], diagnostics: Diagnostics): RecordFile[] {
  const there = new Set(bodies.map(({ name }) => name))
  for (const iata of AENA_AIRPORTS) if (!there.has(`${iata}-S`) || !there.has(`${iata}-L`)) diagnostics.missingGroup(flights, iata)
  return [{ name: 'lists', header: null, records: bodies.flatMap((body) => mergeCodeshares(jsonList(body))).map(rawRecord) }]
}

function stateOf(code: string, direction: (typeof DIRECTIONS)[keyof typeof DIRECTIONS]): string {
  const state = lookUp(STATES, code) ?? code
  return direction === 'DEPARTURE' && AIRBORNE.includes(state) ? 'DEPARTED' : state
}

/** YYYY-MM-DD of dd/mm/yyyy; null for any other text. */
function dateOf(text: string): string | null {
  const [, day, month, year] = DAY_FIRST.exec(text) ?? []
  return year === undefined ? null : `${year}-${month}-${day}`
}

/** The instant of a local time; in October's repeated hour the one nearer to the scheduled time. */
function nearestInstant(date: string, time: string, of: { readonly zone: string; readonly scheduled_at: number }): number {
  const { zone, scheduled_at } = of
  const [earlier, later] = [instantOf(date, time, { zone }), instantOf(date, time, { zone, near: Number.POSITIVE_INFINITY })]
  const found = Math.abs(later - scheduled_at) < Math.abs(earlier - scheduled_at) ? later : earlier
  // A time without its own date may be after midnight.
  return found < scheduled_at - HALF_DAY_MS ? found + 2 * HALF_DAY_MS : found
}
