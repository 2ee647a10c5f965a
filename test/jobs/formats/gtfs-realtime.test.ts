import { expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { type RealtimeMessage, readRealtime } from '../../../jobs/formats/gtfs-realtime.ts'
import { asProtobuf, NOON, realtimeJson } from '../feeds/rail-messages.ts'

const never = (reason: string, id: string): void => {
  throw new Error(`${id}: ${reason}`)
}

/** One entity with everything that is read. */
const EVERYTHING = {
  id: 'E1',
  alert: {
    activePeriod: [{ start: '1794900000', end: '1794990000' }, { start: '1794990000' }],
    informedEntity: [{ routeId: '10T0001C1' }, { stopId: '99001' }, { trip: { tripId: '1041M90001C3' } }],
    cause: 'STRIKE',
    effect: 'NO_SERVICE',
    descriptionText: { translation: [{ text: ' Huelga ', language: 'es' }, { text: 'Strike' }] },
  },
  tripUpdate: {
    trip: { tripId: '1041M90001C3', scheduleRelationship: 'ADDED' },
    stopTimeUpdate: [
      { stopId: '99001', arrival: { delay: -60, time: '1794909000' } },
      { stopId: '99002', scheduleRelationship: 'SKIPPED' },
    ],
    vehicle: { wheelchairAccessible: 'WHEELCHAIR_INACCESSIBLE' },
    delay: -60,
  },
  vehicle: {
    trip: { tripId: '1041M90001C3' },
    vehicle: { id: '90001', label: 'C3-90001-PLATF.(1)' },
    position: { latitude: 37.377792, longitude: -5.9795485 },
    currentStatus: 'INCOMING_AT',
    stopId: '99001',
    timestamp: '1794908990',
  },
}

test('JSON and the protobuf that the official schema makes of it give the same message', () => {
  const json = realtimeJson([EVERYTHING, { id: 'E2', vehicle: {} }])
  const message = readRealtime(json, never)
  expect(message).toEqual({
    publishedAt: NOON,
    entities: [
      {
        id: 'E1',
        alert: {
          periods: [
            { start: 1_794_900_000_000, end: 1_794_990_000_000 },
            { start: 1_794_990_000_000, end: null },
          ],
          informed: [
            { routeId: '10T0001C1', stopId: null, tripId: null },
            { routeId: null, stopId: '99001', tripId: null },
            { routeId: null, stopId: null, tripId: '1041M90001C3' },
          ],
          cause: 'STRIKE',
          effect: 'NO_SERVICE',
          description: [
            { language: 'es', text: 'Huelga' },
            { language: null, text: 'Strike' },
          ],
        },
        tripUpdate: {
          trip: { tripId: '1041M90001C3', relationship: 'ADDED' },
          delay_s: -60,
          stops: [
            { stopId: '99001', relationship: null, arrivesAt: 1_794_909_000_000, arrivalDelay_s: -60 },
            { stopId: '99002', relationship: 'SKIPPED', arrivesAt: null, arrivalDelay_s: null },
          ],
          wheelchairAccess: 'WHEELCHAIR_INACCESSIBLE',
        },
        vehicle: {
          trip: { tripId: '1041M90001C3', relationship: null },
          vehicleId: '90001',
          label: 'C3-90001-PLATF.(1)',
          position: { lat: 37.377792, lon: -5.9795485 },
          status: 'INCOMING_AT',
          stopId: '99001',
          observedAt: 1_794_908_990_000,
        },
      },
      {
        id: 'E2',
        alert: null,
        tripUpdate: null,
        vehicle: {
          trip: { tripId: null, relationship: null },
          vehicleId: null,
          label: null,
          position: null,
          status: null,
          stopId: null,
          observedAt: null,
        },
      },
    ],
  } satisfies RealtimeMessage)
  expect(readRealtime(asProtobuf(json), never)).toEqual(message)
})

test('coordinates are the shortest decimals of their single precision, in both forms', () => {
  const given = [
    [40.4, -3.69],
    [43.26271, -2.9349854],
    [-0.000001, 179.99998],
  ]
  const json = realtimeJson(given.map(([latitude, longitude], at) => ({ id: `E${at}`, vehicle: { position: { latitude, longitude } } })))
  for (const bytes of [json, asProtobuf(json)]) {
    const positions = readRealtime(bytes, never).entities.map(({ vehicle }) => [vehicle?.position?.lat, vehicle?.position?.lon])
    expect(positions).toEqual(given)
  }
})

test('members and enumerations that are not known do no harm', () => {
  const json = realtimeJson([
    { id: 'E1', shape: { shapeId: 'x' }, vehicle: { currentStatus: 99, occupancyStatus: 'FULL', drone: true }, drone: [1] },
  ])
  // Field 77 of the message, of a wire type that is in use.
  const protobuf = Buffer.concat([asProtobuf(json), Buffer.from([0xea, 0x04, 0x02, 0x08, 0x01])])
  for (const bytes of [json, protobuf, Buffer.concat([Buffer.from('\ufeff \n'), json])])
    expect(readRealtime(bytes, never).entities).toMatchObject([{ id: 'E1', vehicle: { status: '99' } }])
})

test('an invalid entity is reported and left out; a deleted one is left out', () => {
  const reported: string[] = []
  const { entities } = readRealtime(
    realtimeJson([
      { id: 'good', alert: {} },
      { id: 'list', alert: [] },
      { id: 'text', vehicle: { timestamp: 'now' } },
      { id: 'half', vehicle: { position: { latitude: 40 } } },
      { id: 'stops', tripUpdate: { stopTimeUpdate: ['99001'] } },
      { alert: {} },
      { id: 'gone', isDeleted: true, alert: {} },
    ]),
    (reason, id) => reported.push(`${id}: ${reason}`),
  )
  expect(entities.map(({ id }) => id)).toEqual(['good', 'half'])
  expect(entities[1]?.vehicle?.position).toEqual({ lat: 40, lon: Number.NaN })
  expect(reported).toEqual([
    'list: alert is no object',
    'text: timestamp is no whole number',
    'stops: stopTimeUpdate has an item that is not an object',
    '{"alert":{}}: an entity without an id',
  ])
})

test('an incomplete publication is refused', () => {
  const json = realtimeJson([EVERYTHING])
  const refused = (bytes: Buffer): void => expect(() => readRealtime(bytes, never)).toThrow(FormatError)
  refused(json.subarray(0, 400))
  refused(asProtobuf(json).subarray(0, 100))
  refused(Buffer.alloc(0))
  refused(Buffer.from('<html>'))
  refused(Buffer.from('{"entity": []}'))
  refused(Buffer.from('{"header": {"gtfsRealtimeVersion": "2.0"}, "entity": []}'))
  refused(Buffer.from('{"header": {"gtfsRealtimeVersion": "2.0", "timestamp": "1794909600"}, "entity": {}}'))
  const differences = realtimeJson([EVERYTHING], NOON, { incrementality: 'DIFFERENTIAL' })
  refused(differences)
  refused(asProtobuf(differences))
})

test('a publication without entities is one', () => {
  const json = realtimeJson([])
  for (const bytes of [json, asProtobuf(json)]) expect(readRealtime(bytes, never)).toEqual({ publishedAt: NOON, entities: [] })
})

test("what the arrival at a stop lacks is its departure's, in both forms", () => {
  const [arrival, departure] = [
    { delay: 60, time: '1794909000' },
    { delay: -30, time: '1794909060' },
  ]
  const events: readonly (readonly [object, number | null, number | null])[] = [
    [{ arrival, departure }, 60, 1_794_909_000_000],
    [{ departure }, -30, 1_794_909_060_000],
    [{ arrival: { delay: 0 }, departure }, 0, 1_794_909_060_000],
    [{ arrival: { time: '1794909000' }, departure }, -30, 1_794_909_000_000],
    [{ arrival: {}, departure: { delay: -30 } }, -30, null],
    [{}, null, null],
  ]
  const stops = events.map(([event]) => ({ stopId: '99001', ...event }))
  const json = realtimeJson([{ id: 'E1', tripUpdate: { trip: { tripId: '1' }, stopTimeUpdate: stops } }])
  for (const bytes of [json, asProtobuf(json)])
    expect(readRealtime(bytes, never).entities[0]?.tripUpdate?.stops.map((stop) => [stop.arrivalDelay_s, stop.arrivesAt])).toEqual(
      events.map(([, delay, time]) => [delay, time]),
    )
})
