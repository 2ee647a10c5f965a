import { col } from '../../schema/columns.ts'
import { day, defineDataset } from '../../schema/dataset.ts'
import type { Source } from '../../schema/sources.ts'
import { AIRCRAFT_CATEGORIES, AIRCRAFT_EMERGENCIES, AIRCRAFT_POSITION_SOURCES } from './codes.ts'
import { adsbLol, opensky } from './sources.ts'

const NONE = { nullable: true } as const
/** An aircraft that was not received for longer is no longer shown, ms. */
const CURRENT_FOR_MS = 120_000
/** Days that positions are kept: a month that is counted needs all of its days until it is over. */
export const POSITION_DAYS = 35
const METRES = { ...NONE, scale: 1, unit: 'm', min: -1000, max: 40_000 } as const

/** The columns of positions from a source. */
const columnsFrom = ({ id }: Source) =>
  ({
    source: col.string(1, 'Source of the position.', { example: id }),
    icao24: col.string(2, 'ICAO 24-bit address in hexadecimal, lower case; `~` before an address that is not of the ICAO.', {
      example: '3443c1',
    }),
    observed_at: col.instant(3, 'When the position was received.', { example: '2026-10-26T12:30:00.000Z' }),
    is_icao_address: col.boolean(4, 'False for an address that ICAO did not assign: it may change, and two aircraft may share it.', {
      example: true,
    }),
    callsign: col.string(5, 'Callsign as set by the crew.', { ...NONE, example: 'IBE32EJ' }),
    registration: col.string(6, 'Registration.', { ...NONE, example: 'EC-EJM' }),
    aircraft_type: col.string(7, 'ICAO code of the type.', { ...NONE, example: 'A320' }),
    category: col.code(8, 'Emitter category.', AIRCRAFT_CATEGORIES, { ...NONE, example: 'A3' }),
    position: col.point([9, 10], 'Where it was.', { example: { lat: 40.638211, lon: -3.411905 } }),
    altitude_m: col.decimal(11, 'Barometric altitude at standard pressure (1013.25 hPa); null on the ground.', {
      ...METRES,
      example: 2743.2,
    }),
    altitude_geometric_m: col.decimal(12, 'Altitude above the WGS84 ellipsoid.', { ...METRES, example: 2849.9 }),
    is_on_ground: col.boolean(13, 'True on the ground; null where that was not reported.', { ...NONE, example: false }),
    ground_speed_m_s: col.decimal(14, 'Speed over the ground.', { ...NONE, scale: 2, unit: 'm/s', min: 0, max: 1500, example: 142.51 }),
    track_deg: col.decimal(15, 'Direction over the ground, clockwise from true north.', {
      ...{ ...NONE, scale: 2, unit: 'deg', min: 0, max: 360, example: 38.12 },
    }),
    vertical_rate_m_s: col.decimal(16, 'Rate of climb, negative in descent: barometric, else geometric.', {
      ...{ ...NONE, scale: 2, unit: 'm/s', min: -200, max: 200, example: 9.43 },
    }),
    squawk: col.string(17, 'Transponder code: four octal digits.', { ...NONE, example: '2115' }),
    emergency: col.code(18, 'Emergency that the aircraft reports; null where it reports none.', AIRCRAFT_EMERGENCIES, {
      ...NONE,
      example: null,
    }),
    position_source: col.code(19, 'How the position was obtained.', AIRCRAFT_POSITION_SOURCES, { ...NONE, example: 'ADSB' }),
    is_military: col.boolean(20, 'True where the source lists it as military; null where it has no such list.', {
      ...NONE,
      example: false,
    }),
  }) as const

/** What both datasets share. */
const SHARED = {
  domain: 'aviation',
  entity: ['source', 'icao24'],
  time: 'observed_at',
  land: 'append',
  absence: 'keeps',
  currentFor_ms: CURRENT_FOR_MS,
  keepsDays: POSITION_DAYS,
  partition: [day('observed_at')],
  order: ['icao24', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
} as const

/**
 * Aircraft over Spain and its approaches once a minute, by adsb.lol. Under ODbL, whose share-alike reaches databases that are derived from
 * it: so it has a namespace of its own.
 */
export const aircraftPositions = defineDataset({
  ...SHARED,
  id: 'aircraft_positions',
  namespace: 'adsb_lol',
  title: 'Positions of aircraft',
  about: `Position, altitude, speed and track of aircraft over Spain and its approaches once a minute, for ${POSITION_DAYS} days. Aircraft whose registration is blocked (LADD, PIA, the operator's list) are left out. A database derived from it has to be shared under ODbL.`,
  sources: [adsbLol],
  columns: columnsFrom(adsbLol),
})

/** The same by the OpenSky Network, for services that are not commercial: never mixed with the former, whose licence is another. */
export const openskyPositions = defineDataset({
  ...SHARED,
  id: 'opensky_positions',
  namespace: 'opensky',
  title: 'Positions of aircraft by OpenSky',
  about: `Position, altitude, speed and track of aircraft by the OpenSky Network, for ${POSITION_DAYS} days, where the operator has an account and the service is not commercial. Aircraft of the operator's list are left out.`,
  sources: [opensky],
  columns: columnsFrom(opensky),
})
