import bindings from 'gtfs-realtime-bindings'
import { FormatError } from '../feeds/define.ts'
import { parseJson } from './json.ts'
import { numberIn } from './numbers.ts'
import { decodeUtf8 } from './text.ts'

/** A publication of GTFS-Realtime. Instants in ms since the epoch. */
export interface RealtimeMessage {
  /** When it was made, by its header. */
  readonly publishedAt: number
  readonly entities: readonly RealtimeEntity[]
}

/** One entity: its id and its content, usually one of the three. */
export interface RealtimeEntity {
  readonly id: string
  readonly alert: RealtimeAlert | null
  readonly tripUpdate: RealtimeTripUpdate | null
  readonly vehicle: RealtimeVehicle | null
}

/** A text in a language (BCP 47); null if none is stated. */
export interface Translation {
  readonly language: string | null
  readonly text: string
}

/** An alert. Effect and cause by the standard's names, or an unknown number. */
export interface RealtimeAlert {
  readonly periods: readonly { readonly start: number | null; readonly end: number | null }[]
  readonly informed: readonly { readonly routeId: string | null; readonly stopId: string | null; readonly tripId: string | null }[]
  readonly cause: string | null
  readonly effect: string | null
  readonly description: readonly Translation[]
}

/** The update of a trip. Delays in seconds; what the arrival at a stop lacks is its departure's. */
export interface RealtimeTripUpdate {
  readonly trip: RealtimeTrip
  readonly delay_s: number | null
  readonly stops: readonly {
    readonly stopId: string | null
    readonly relationship: string | null
    readonly arrivesAt: number | null
    readonly arrivalDelay_s: number | null
  }[]
  readonly wheelchairAccess: string | null
}

/** The trip that something is about. */
export interface RealtimeTrip {
  readonly tripId: string | null
  readonly relationship: string | null
}

/** Where a vehicle is. */
export interface RealtimeVehicle {
  readonly trip: RealtimeTrip
  readonly vehicleId: string | null
  readonly label: string | null
  /** NaN for an unreadable coordinate. */
  readonly position: { readonly lat: number; readonly lon: number } | null
  readonly status: string | null
  readonly stopId: string | null
  readonly observedAt: number | null
}

/** Called for an unreadable entity, with the reason and its id as far as known. */
export type UnreadableListener = (reason: string, id: string) => void

const { FeedMessage } = bindings.transit_realtime
/** The first bytes distinguish the two forms: no protobuf message of this schema begins with a brace. */
const IS_JSON = /^(?:\u00ef\u00bb\u00bf)?\s*\{/

/**
 * Reads a whole publication, as protobuf or canonical JSON (lowerCamelCase, 64-bit integers as text), into the same entities.
 * Unused members are skipped; an entity with a used member of the wrong type is left out and reported. Throws `FormatError`
 * without a header or list, and for differential publications.
 */
export function readRealtime(bytes: Buffer, unreadable: UnreadableListener): RealtimeMessage {
  const message = IS_JSON.test(bytes.toString('latin1', 0, 64)) ? (parseJson(decodeUtf8(bytes), bytes) as Members) : decode(bytes)
  const header = member(message, 'header')
  if (header === null || text(header, 'gtfsRealtimeVersion') === null) throw new FormatError('no header of GTFS-Realtime')
  const publishedAt = instant(header, 'timestamp')
  if (publishedAt === null) throw new FormatError('the header has no time')
  if (named(header, 'incrementality') === 'DIFFERENTIAL') throw new FormatError('a publication of differences only')
  const entities: RealtimeEntity[] = []
  for (const given of items(message, 'entity')) {
    try {
      const entity = entityOf(given)
      if (entity) entities.push(entity)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      unreadable(error.message, typeof given['id'] === 'string' ? given['id'] : JSON.stringify(given).slice(0, 200))
    }
  }
  return { publishedAt, entities }
}

/** The message as in its canonical JSON; an enumeration number that the schema lacks stays a number. */
function decode(bytes: Buffer): Members {
  try {
    return FeedMessage.toObject(FeedMessage.decode(bytes), { longs: String, enums: String })
  } catch (cause) {
    throw new FormatError(`${bytes.length} bytes are no message of GTFS-Realtime: ${(cause as Error).message}`, { cause })
  }
}

function entityOf(given: Members): RealtimeEntity | null {
  const id = text(given, 'id')
  if (id === null) throw new FormatError('an entity without an id')
  if (given['isDeleted'] === true) return null
  const [alert, tripUpdate, vehicle] = [member(given, 'alert'), member(given, 'tripUpdate'), member(given, 'vehicle')]
  return {
    id,
    alert: alert && alertOf(alert),
    tripUpdate: tripUpdate && tripUpdateOf(tripUpdate),
    vehicle: vehicle && vehicleOf(vehicle),
  }
}

/** An enumeration value; null for the default of the schema, which a writer that knows nothing may also send. */
function stated(given: Members, name: string, byDefault: string): string | null {
  const value = named(given, name)
  return value === byDefault ? null : value
}

function alertOf(given: Members): RealtimeAlert {
  const description = member(given, 'descriptionText')
  return {
    periods: items(given, 'activePeriod').map((period) => ({ start: instant(period, 'start'), end: instant(period, 'end') })),
    informed: items(given, 'informedEntity').map((selector) => ({
      routeId: text(selector, 'routeId'),
      stopId: text(selector, 'stopId'),
      tripId: tripOf(selector).tripId,
    })),
    cause: stated(given, 'cause', 'UNKNOWN_CAUSE'),
    effect: stated(given, 'effect', 'UNKNOWN_EFFECT'),
    description: (description ? items(description, 'translation') : []).flatMap((translation) => {
      const words = text(translation, 'text')
      return words === null ? [] : [{ language: text(translation, 'language'), text: words }]
    }),
  }
}

function tripUpdateOf(given: Members): RealtimeTripUpdate {
  const vehicle = member(given, 'vehicle')
  return {
    trip: tripOf(given),
    delay_s: whole(given, 'delay'),
    stops: items(given, 'stopTimeUpdate').map((stop) => {
      const [arrival, departure] = [member(stop, 'arrival') ?? {}, member(stop, 'departure') ?? {}]
      return {
        stopId: text(stop, 'stopId'),
        relationship: named(stop, 'scheduleRelationship'),
        // The first stop, and any where a publisher states one event, may have a departure alone.
        arrivesAt: instant(arrival, 'time') ?? instant(departure, 'time'),
        arrivalDelay_s: whole(arrival, 'delay') ?? whole(departure, 'delay'),
      }
    }),
    wheelchairAccess: vehicle && named(vehicle, 'wheelchairAccessible'),
  }
}

function vehicleOf(given: Members): RealtimeVehicle {
  const vehicle = member(given, 'vehicle')
  const position = member(given, 'position')
  return {
    trip: tripOf(given),
    vehicleId: vehicle && text(vehicle, 'id'),
    label: vehicle && text(vehicle, 'label'),
    position: position && { lat: single(position, 'latitude'), lon: single(position, 'longitude') },
    status: named(given, 'currentStatus'),
    stopId: text(given, 'stopId'),
    observedAt: instant(given, 'timestamp'),
  }
}

function tripOf(given: Members): RealtimeTrip {
  const trip = member(given, 'trip')
  return { tripId: trip && text(trip, 'tripId'), relationship: trip && named(trip, 'scheduleRelationship') }
}

type Members = Readonly<Record<string, unknown>>

/** A member that is an object; null if missing. */
function member(of: Members, name: string): Members | null {
  const value = of[name] ?? null
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) throw new FormatError(`${name} is no object`)
  return value as Members | null
}

/** The objects of a list; empty without a list. */
function items(of: Members, name: string): readonly Members[] {
  const value = of[name] ?? []
  if (!Array.isArray(value)) throw new FormatError(`${name} is no list`)
  for (const item of value as unknown[])
    if (typeof item !== 'object' || item === null || Array.isArray(item)) throw new FormatError(`${name} has an item that is not an object`)
  return value as Members[]
}

/** A text, trimmed; null if missing or blank. */
function text(of: Members, name: string): string | null {
  const value = of[name] ?? null
  if (value !== null && typeof value !== 'string') throw new FormatError(`${name} is no text`)
  return (value as string | null)?.trim() || null
}

/** An enumeration's value: its name, or the number if the schema lacks it. */
function named(of: Members, name: string): string | null {
  const value = of[name] ?? null
  return typeof value === 'number' ? String(value) : text(of, name)
}

/** A whole number; JSON may have it as text. */
function whole(of: Members, name: string): number | null {
  const value = of[name] ?? null
  if (value === null) return null
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  if (!Number.isSafeInteger(number)) throw new FormatError(`${name} is no whole number`)
  return number as number
}

/** A time in seconds since the epoch, as ms; 0 means none. */
function instant(of: Members, name: string): number | null {
  return (whole(of, name) || null) && (whole(of, name) as number) * 1000
}

/** A single-precision number: the shortest decimal with that value, as in JSON; NaN for anything else. */
function single(of: Members, name: string): number {
  const exact = Math.fround(numberIn(of[name]) ?? Number.NaN)
  if (Number.isNaN(exact)) return exact
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(exact.toPrecision(digits))
    if (Math.fround(short) === exact) return short
  }
  return Number(exact.toPrecision(9))
}
