import { col, orNull } from '../../schema/columns.ts'
import { day } from '../../schema/dataset.ts'
import type { Source } from '../../schema/sources.ts'
import { aviationDataset } from '../domains.ts'
import { AIRCRAFT_CATEGORIES, AIRCRAFT_EMERGENCIES, AIRCRAFT_POSITION_SOURCES } from './codes.ts'
import { adsbLol, opensky } from './sources.ts'

const NONE = { nullable: true } as const
/** A position older than this is not current, ms. */
const CURRENT_FOR_MS = 120_000
/** Days to keep positions: counting a month needs all of its days until the month is over. */
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
    callsign: col.string(5, 'Callsign as set by the crew.', orNull('IBE32EJ')),
    registration: col.string(6, 'Registration.', orNull('EC-EJM')),
    aircraft_type: col.string(7, 'ICAO code of the type.', orNull('A320')),
    category: col.code(8, 'Emitter category.', AIRCRAFT_CATEGORIES, orNull('A3')),
    position: col.point([9, 10], 'Where it was.', { example: { lat: 40.638211, lon: -3.411905 } }),
    altitude_m: col.decimal(11, 'Barometric altitude at standard pressure (1013.25 hPa); null on the ground.', {
      ...METRES,
      example: 2743.2,
    }),
    altitude_geometric_m: col.decimal(12, 'Altitude above the WGS84 ellipsoid.', { ...METRES, example: 2849.9 }),
    is_on_ground: col.boolean(13, 'True on the ground; null if not reported.', orNull(false)),
    ground_speed_m_s: col.decimal(14, 'Speed over the ground.', { ...NONE, scale: 2, unit: 'm/s', min: 0, max: 1500, example: 142.51 }),
    track_deg: col.decimal(15, 'Direction over the ground, clockwise from true north.', {
      ...{ ...NONE, scale: 2, unit: 'deg', min: 0, max: 360, example: 38.12 },
    }),
    vertical_rate_m_s: col.decimal(16, 'Rate of climb, negative in descent: barometric, else geometric.', {
      ...{ ...NONE, scale: 2, unit: 'm/s', min: -200, max: 200, example: 9.43 },
    }),
    squawk: col.string(17, 'Transponder code: four octal digits.', orNull('2115')),
    emergency: col.code(18, 'Emergency that the aircraft reports; null if it reports none.', AIRCRAFT_EMERGENCIES, orNull(null)),
    position_source: col.code(19, 'How the position was obtained.', AIRCRAFT_POSITION_SOURCES, orNull('ADSB')),
    is_military: col.boolean(20, 'True if the source lists it as military; null if it has no such list.', orNull(false)),
  }) as const

/** Common settings of both datasets. */
const SHARED = {
  entity: ['source', 'icao24'],
  time: 'observed_at',
  writeMode: 'append',
  currentFor_ms: CURRENT_FOR_MS,
  keep: `${POSITION_DAYS}d`,
  partition: [day('observed_at')],
  order: ['icao24', 'observed_at'],
} as const

/**
 * Aircraft over Spain and its approaches once a minute, from adsb.lol. It has its own namespace because of its licence: ODbL also
 * covers derived databases (share-alike).
 */
export const aircraftPositions = aviationDataset({
  ...SHARED,
  id: 'aircraft_positions',
  namespace: 'adsb_lol',
  title: 'Positions of aircraft',
  about: `Position, altitude, speed and track of aircraft over Spain and its approaches once a minute, for ${POSITION_DAYS} days. Aircraft whose registration is blocked (LADD, PIA, the operator's list) are left out. Derived databases must be shared under ODbL.`,
  sources: [adsbLol],
  columns: columnsFrom(adsbLol),
})

/**
 * Aircraft positions from the OpenSky Network, for non-commercial services only. Licences differ: never mix them with adsb.lol
 * data.
 */
export const openskyPositions = aviationDataset({
  ...SHARED,
  id: 'opensky_positions',
  namespace: 'opensky',
  title: 'Positions of aircraft from OpenSky',
  about: `Position, altitude, speed and track of aircraft from the OpenSky Network, for ${POSITION_DAYS} days. Available if the operator has an account and the service is not commercial. Aircraft of the operator's list are left out.`,
  sources: [opensky],
  columns: columnsFrom(opensky),
})
