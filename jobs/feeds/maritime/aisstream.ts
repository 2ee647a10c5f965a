import { aisstream as source } from '../../../lake/datasets/maritime/sources.ts'
import {
  type AisMessage,
  type AisPosition,
  courseDeg,
  fixSecond,
  headingDeg,
  imoNumber,
  isAuxiliary,
  place,
  plainText,
  positive,
  rateOfTurn,
  shipType,
  speedKn,
} from '../../formats/ais.ts'
import { numberIn } from '../../formats/numbers.ts'
import { type Box, isInBoxes } from '../../formats/positions.ts'
import { defineFeed, FormatError } from '../define.ts'
import { minuteLines } from '../minute-file.ts'
import type { StreamIntake, StreamKnown } from '../stream-intake.ts'
import { openVesselFilter, VESSEL_FEED, VESSEL_FILES, VesselRows } from './vessel-rows.ts'

/** Waters round mainland Spain and the Balearic Islands, and round the Canary Islands. */
const BOXES: readonly Box[] = [
  { south: 34.5, west: -11, north: 45, east: 6 },
  { south: 26, west: -20, north: 31, east: -11 },
]
const CORNERS = BOXES.map(({ south, west, north, east }) => [
  [south, west],
  [north, east],
])
const TYPES = [
  'PositionReport',
  'StandardClassBPositionReport',
  'ExtendedClassBPositionReport',
  'LongRangeAisBroadcastMessage',
  'ShipStaticData',
  'StaticDataReport',
]

/** AIS relayed by aisstream.io: JSON over a WebSocket. Its terms give no right to resell, so it is off by default. */
export const aisstream = defineFeed({
  ...VESSEL_FEED,
  id: 'aisstream',
  source,
  liveByDefault: false,
  stream: {
    ...VESSEL_FILES,
    connect: { url: 'wss://stream.aisstream.io/v0/stream' },
    secretEnv: 'AISSTREAM_API_KEY',
    greeting: (secret) => JSON.stringify({ APIKey: secret ?? '', BoundingBoxes: CORNERS, FilterMessageTypes: TYPES }),
    intake,
  },
  *rows([body], { fetched_at }, diagnostics) {
    const rows = new VesselRows(source.id, diagnostics)
    const warnOf = (counts: Readonly<Record<string, number>>): void => {
      for (const [reason, count] of Object.entries(counts)) diagnostics.warn(`not used, ${reason.replaceAll('_', ' ')}: ${count}`)
    }
    for (const { at, text } of minuteLines(body?.bytes ?? Buffer.alloc(0), fetched_at, warnOf)) {
      const frame = frameOf(text)
      if (frame === null) diagnostics.warn('frames that are no JSON')
      else for (const message of messagesOf(frame)) rows.take(message, statedTime(frame) ?? at)
    }
    yield* rows.batches()
  },
})

/** Stores frames of permitted vessels. Throws `FormatError` if the publisher refuses. */
function intake(known: StreamKnown): StreamIntake {
  const gate = openVesselFilter(known)
  let refused: Record<string, number> = {}
  return {
    take(text) {
      const frame = frameOf(text)
      if (typeof frame?.['error'] === 'string') throw new FormatError(`aisstream refuses: ${frame['error']}`)
      const messages = frame === null ? [] : messagesOf(frame)
      const reason = frame === null ? 'not_json' : messages.length === 0 ? 'other_message' : gate.refuses(messages)
      // Line breaks in JSON are blanks.
      if (reason === null) return text.replace(/[\r\n]+/g, ' ')
      refused[reason] = (refused[reason] ?? 0) + 1
      return null
    },
    counts() {
      const counts = refused
      refused = {}
      return counts
    },
  }
}

type Json = Readonly<Record<string, unknown>>

function frameOf(text: string): Json | null {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return null
  }
}

/** Go's time format, with any number of fractional digits: `2026-08-27 05:40:41.991050178 +0000 UTC`. */
function statedTime(frame: Json): number | null {
  const stated = objectOf(frame['MetaData'])?.['time_utc']
  const [, date, time, fraction = ''] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))? \+0000 UTC$/.exec(String(stated)) ?? []
  if (date === undefined) return null
  return Date.parse(`${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`)
}

/** The messages of a frame; none if its type is unused or it is marked invalid. */
function messagesOf(frame: Json): readonly AisMessage[] {
  const type = String(frame['MessageType'])
  const given = objectOf(objectOf(frame['Message'])?.[type])
  const mmsi = Number(given?.['UserID'])
  if (!given || given['Valid'] === false || !Number.isInteger(mmsi)) return []
  if (type === 'PositionReport') return [position(given, numberOf(given, 'MessageID') ?? 1, mmsi, 'A')]
  if (type === 'LongRangeAisBroadcastMessage') return [position(given, 27, mmsi, 'A')]
  if (type === 'StandardClassBPositionReport') return [position(given, 18, mmsi, 'B')]
  if (type === 'ExtendedClassBPositionReport')
    return [
      position(given, 19, mmsi, 'B'),
      { kind: 'static', type: 19, mmsi, ais_class: 'B', part: 'ALL', name: textOf(given, 'Name'), ...craft(given, 'Type') },
    ]
  if (type === 'ShipStaticData')
    return [
      {
        ...{ kind: 'static', type: 5, mmsi, ais_class: 'A', part: 'ALL' },
        ...{ name: textOf(given, 'Name'), callsign: textOf(given, 'CallSign'), destination: textOf(given, 'Destination') },
        imo: imoNumber(numberOf(given, 'ImoNumber') ?? 0),
        draught_m: positive(numberOf(given, 'MaximumStaticDraught') ?? 0),
        ...craft(given, 'Type'),
      },
    ]
  return type === 'StaticDataReport' ? staticReport(given, mmsi) : []
}

function staticReport(given: Json, mmsi: number): AisMessage[] {
  const [a, b] = [objectOf(given['ReportA']), objectOf(given['ReportB'])]
  const about = { kind: 'static', type: 24, mmsi, ais_class: 'B' } as const
  return [
    ...(a?.['Valid'] === true ? [{ ...about, part: 'A' as const, name: textOf(a, 'Name') }] : []),
    ...(b?.['Valid'] === true ? [{ ...about, part: 'B' as const, callsign: textOf(b, 'CallSign'), ...craftOfB(b, mmsi) }] : []),
  ]
}

function position(given: Json, type: number, mmsi: number, ais_class: 'A' | 'B'): AisPosition {
  const status = type === 18 || type === 19 ? null : numberOf(given, 'NavigationalStatus')
  return {
    ...{ kind: 'position', type, mmsi, ais_class },
    ...placeInBoxes(given),
    is_accurate: given['PositionAccuracy'] === true,
    // Speeds of type 27 are whole knots up to 62.
    speed_kn: type === 27 && numberOf(given, 'Sog') === 63 ? null : speedKn(numberOf(given, 'Sog') ?? 102.3),
    course_deg: courseDeg(numberOf(given, 'Cog') ?? 360),
    heading_deg: headingDeg(numberOf(given, 'TrueHeading') ?? 511),
    rate_of_turn_deg_min: rateOfTurn(numberOf(given, 'RateOfTurn') ?? -128),
    status: status === null || status === 15 ? null : status,
    second: fixSecond(numberOf(given, 'Timestamp') ?? 60),
  }
}

/** A position in one of the boxes that were requested; others, which the relay should not have sent, are none. */
function placeInBoxes(given: Json): Pick<AisPosition, 'lat' | 'lon'> {
  const { lat, lon } = place(numberOf(given, 'Latitude') ?? 91, numberOf(given, 'Longitude') ?? 181)
  return lat !== null && lon !== null && isInBoxes({ lat, lon }, BOXES) ? { lat, lon } : { lat: null, lon: null }
}

/** Type and dimensions of part B; an auxiliary craft has none, see `isAuxiliary`. */
function craftOfB(b: Json, mmsi: number): Partial<ReturnType<typeof craft>> {
  const { ship_type, ...sizes } = craft(b, 'ShipType')
  return isAuxiliary(mmsi) ? { ship_type } : { ship_type, ...sizes }
}

/** Type and dimensions of a static report. */
function craft(given: Json, type: 'Type' | 'ShipType') {
  const sizes = objectOf(given['Dimension']) ?? {}
  const [bow, stern, port, starboard] = ['A', 'B', 'C', 'D'].map((side) => numberOf(sizes, side) ?? 0) as [number, number, number, number]
  return { ship_type: shipType(numberOf(given, type) ?? 0), length_m: positive(bow + stern), beam_m: positive(port + starboard) }
}

function objectOf(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}

function numberOf(given: Json, name: string): number | null {
  const value = numberIn(given[name])
  return Number.isNaN(value) ? null : value
}

function textOf(given: Json, name: string): string | null {
  const value = given[name]
  return typeof value === 'string' ? plainText(value) : null
}
