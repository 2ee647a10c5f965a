import { vesselPositions, vessels } from '../../../lake/datasets/maritime/vessels.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { AisMessage, AisPosition, AisStatic } from '../../formats/ais.ts'
import { type Batch, batch, type Diagnostics } from '../define.ts'
import type { StreamKnown } from '../stream-intake.ts'

/** The kind of vessel by its AIS type of ship and cargo; null for none. */
function vesselType(code: number | null): string | null {
  if (code === null) return null
  return SPECIAL[code] ?? TENS[Math.floor(code / 10)] ?? 'OTHER'
}

const SPECIAL: Readonly<Record<number, string>> = {
  30: 'FISHING',
  31: 'TUG',
  32: 'TUG',
  33: 'DREDGER',
  34: 'DIVING',
  35: 'MILITARY',
  50: 'PILOT',
  51: 'SEARCH_AND_RESCUE',
  52: 'TUG',
  53: 'PORT_TENDER',
  54: 'ANTI_POLLUTION',
  55: 'LAW_ENFORCEMENT',
  58: 'MEDICAL',
}
const TENS: Readonly<Record<number, string>> = { 2: 'WING_IN_GROUND', 4: 'HIGH_SPEED', 6: 'PASSENGER', 7: 'CARGO', 8: 'TANKER' }

/** The standard's navigational statuses by number; 9, 10 and 13 are reserved, 14 is a distress beacon. */
const STATUSES = [
  'UNDER_WAY_ENGINE',
  'AT_ANCHOR',
  'NOT_UNDER_COMMAND',
  'RESTRICTED_MANOEUVRABILITY',
  'CONSTRAINED_BY_DRAUGHT',
  'MOORED',
  'AGROUND',
  'FISHING',
  'UNDER_WAY_SAILING',
  'OTHER',
  'OTHER',
  'TOWING_ASTERN',
  'PUSHING',
  'OTHER',
  'OTHER',
] as const

/** The code of a navigational status by its number; null for none. */
function navigationStatus(status: number | null): string | null {
  return status === null ? null : (STATUSES[status] ?? null)
}

/** True for the MMSI of a vessel: nine digits starting with a ship station's country code, 2 to 7. */
function isVesselMmsi(mmsi: number): boolean {
  return Number.isInteger(mmsi) && mmsi >= 200_000_000 && mmsi < 800_000_000
}

const SAILING = 36
const PLEASURE = 37

/**
 * True for craft that may be private: sailing and pleasure craft, and in class B those without a type or of type "other".
 * Larger ships have class A.
 */
function isPrivateType(shipType: number | null, aisClass: 'A' | 'B'): boolean {
  if (shipType === SAILING || shipType === PLEASURE) return true
  return aisClass === 'B' && (shipType === null || shipType < 20 || shipType >= 90)
}

/** Most vessels remembered; the one silent for longest is evicted. Spanish waters see some 30,000 in a year. */
const MAX_VESSELS = 100_000

type Verdict = 'PUBLIC' | 'PRIVATE'

/** Passes messages of vessels known not to be private craft. */
interface VesselFilter {
  /** Null if all messages may be stored, else the reason why not. */
  refuses(messages: readonly AisMessage[]): 'other_station' | 'private' | 'type_unknown' | null
}

/**
 * Opens a gate with the vessels in the table and the operator's exclusion list. A vessel is dropped until its type is known:
 * it states one every six minutes.
 */
export function openVesselFilter({ rows, setting }: StreamKnown): VesselFilter {
  const excluded = excludedMmsi(setting)
  const known = new Map<number, Verdict>()
  for (const row of rows.get('vessels') ?? []) known.set(Number(row['mmsi']), 'PUBLIC')
  const learn = (mmsi: number, verdict: Verdict): void => {
    known.delete(mmsi)
    known.set(mmsi, verdict)
    if (known.size <= MAX_VESSELS) return
    const [oldest] = known.keys()
    known.delete(oldest as number)
  }
  return {
    refuses(messages) {
      for (const message of messages) {
        const { mmsi } = message
        if (!isVesselMmsi(mmsi)) return 'other_station'
        if (excluded.has(mmsi)) return 'private'
        if (message.kind === 'static' && message.part !== 'A')
          learn(mmsi, isPrivateType(message.ship_type ?? null, message.ais_class) ? 'PRIVATE' : 'PUBLIC')
      }
      const verdicts = messages.map(({ mmsi }) => known.get(mmsi))
      if (verdicts.includes('PRIVATE')) return 'private'
      return verdicts.includes(undefined) ? 'type_unknown' : null
    },
  }
}

function excludedMmsi(setting: StreamKnown['setting']): ReadonlySet<number> {
  return new Set((setting('AIS_EXCLUDED_MMSI') ?? '').split(',').filter(Boolean).map(Number))
}

const ANY = { atLeast: 0, minRatio: 0, maxRatio: Number.MAX_SAFE_INTEGER, mayBeEmpty: true } as const

/** Common properties of both vessel streams. */
export const VESSEL_FEED = {
  into: [vesselPositions, vessels],
  // Late after 40 s of silence, stale after a minute.
  every_s: 20,
  bands: { [vesselPositions.id]: ANY, [vessels.id]: ANY },
  rawRetentionDays: 8,
} as const

/** Length of both streams' files, and their size limit: a minute of 1,000 messages a second is 4 MB of NMEA, 40 MB of JSON. */
export const VESSEL_FILES = { file_s: 60, maxFileBytes: 64_000_000 } as const

type PositionRow = FeedRow<typeof vesselPositions>
type VesselRow = FeedRow<typeof vessels>

/** A second position in a minute is stored only if a moving vessel turned or changed speed by at least this much. */
const TURN_DEG = 10
const SPEED_CHANGE_KN = 2
const MOVING_KN = 1
const LEAST_INTERVAL_MS = 10_000
/** A position's second may be this far ahead of our clock, ms. */
const AHEAD_MS = 2000

interface Track {
  /** The reference for turns: the first report, then each stored one. */
  reference: PositionRow
  last: PositionRow
  readonly kept: PositionRow[]
}

/** Collects the rows of a source's minute file: positions thinned to a track, static reports by vessel. */
export class VesselRows {
  readonly #source: string
  readonly #notes: Diagnostics
  readonly #tracks = new Map<string, Track>()
  readonly #static = new Map<string, { -readonly [K in keyof AisStatic]?: AisStatic[K] } & { parts: Set<string> }>()
  readonly #private = new Set<string>()

  constructor(source: string, diagnostics: Diagnostics) {
    this.#source = source
    this.#notes = diagnostics
  }

  /** Takes a message that was received at an instant (ms). */
  take(message: AisMessage, at: number): void {
    if (!isVesselMmsi(message.mmsi)) return
    const mmsi = String(message.mmsi)
    if (message.kind === 'static') return this.#takeStatic(mmsi, message)
    const row = positionRow(this.#source, mmsi, message, at)
    if (!row) return this.#notes.warn('position reports without a position')
    this.#takePosition(mmsi, row)
  }

  /** The rows of all that was taken. */
  *batches(): Iterable<Batch> {
    for (const mmsi of this.#private) {
      this.#tracks.delete(mmsi)
      this.#static.delete(mmsi)
    }
    yield batch(
      vesselPositions,
      [...this.#tracks.values()].flatMap(({ kept, last }) => (kept.at(-1) === last ? kept : [...kept, last])),
    )
    yield batch(
      vessels,
      [...this.#static].flatMap(([mmsi, found]) => this.#vesselRow(mmsi, found)),
    )
  }

  #takePosition(mmsi: string, row: PositionRow): void {
    const track = this.#tracks.get(mmsi)
    if (!track) {
      this.#tracks.set(mmsi, { reference: row, last: row, kept: [] })
      return
    }
    // The same broadcast over another receiver, or one that came late.
    if (row.observed_at <= track.last.observed_at) return
    track.last = row
    if (row.observed_at - track.reference.observed_at < LEAST_INTERVAL_MS || !isChanged(track.reference, row)) return
    track.kept.push(row)
    track.reference = row
  }

  #takeStatic(mmsi: string, { part, ...message }: AisStatic): void {
    const known = this.#static.get(mmsi) ?? { parts: new Set<string>() }
    Object.assign(known, message)
    known.parts.add(part)
    this.#static.set(mmsi, known)
    if (part !== 'A' && isPrivateType(message.ship_type ?? null, message.ais_class)) this.#private.add(mmsi)
  }

  /** A two-part report counts once both parts have arrived, which is every six minutes. */
  #vesselRow(mmsi: string, found: Partial<AisStatic> & { readonly parts: ReadonlySet<string> }): VesselRow[] {
    if (!found.parts.has('ALL') && found.parts.size < 2) return []
    const { imo, ship_type = null } = found
    return [
      {
        source: this.#source,
        mmsi,
        name: found.name ?? null,
        callsign: found.callsign ?? null,
        imo_number: imo ? String(imo) : null,
        vessel_type: vesselType(ship_type),
        ais_type: ship_type,
        ais_class: found.ais_class ?? 'A',
        length_m: found.length_m ?? null,
        beam_m: found.beam_m ?? null,
        draught_m: found.draught_m ?? null,
        destination: found.destination ?? null,
      },
    ]
  }
}

function positionRow(source: string, mmsi: string, message: AisPosition, at: number): PositionRow | null {
  const { lat, lon, second } = message
  if (lat === null || lon === null) return null
  return {
    source,
    mmsi,
    observed_at: fixInstant(at, second),
    position: { lat, lon },
    is_accurate: message.is_accurate,
    speed_kn: message.speed_kn,
    course_deg: message.course_deg,
    heading_deg: message.heading_deg,
    rate_of_turn_deg_min: message.rate_of_turn_deg_min,
    navigation_status: navigationStatus(message.status),
    ais_class: message.ais_class,
  }
}

/** The newest instant up to reception whose clock second is `second`; without one, the reception in whole seconds. */
export function fixInstant(at: number, second: number | null): number {
  if (second === null) return at - (at % 1000)
  const minute = at + AHEAD_MS - ((at + AHEAD_MS) % 60_000)
  const fixed = minute + 1000 * second
  return fixed <= at + AHEAD_MS ? fixed : fixed - 60_000
}

function isChanged(before: PositionRow, after: PositionRow): boolean {
  const [from, to] = [before.speed_kn ?? 0, after.speed_kn ?? 0]
  if (Math.abs(to - from) >= SPEED_CHANGE_KN) return true
  if (before.course_deg === null || after.course_deg === null || to < MOVING_KN) return false
  const turn = Math.abs(after.course_deg - before.course_deg)
  return Math.min(turn, 360 - turn) >= TURN_DEG
}
