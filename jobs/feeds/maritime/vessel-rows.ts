import { vesselPositions } from '../../../lake/datasets/maritime/vessel-positions.ts'
import { vessels } from '../../../lake/datasets/maritime/vessels.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { AisMessage, AisPosition, AisStatic } from '../../formats/ais.ts'
import { type Batch, batch, type Diagnostics } from '../define.ts'
import { isPrivateType, isVesselMmsi, navigationStatus, vesselType } from './vessel-types.ts'

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
