import { col, orNull } from '../../schema/columns.ts'
import { day, defineDataset } from '../../schema/dataset.ts'
import { aisReceivers, aisstream } from './sources.ts'
import { AIS_CLASSES, NAVIGATION_STATUSES } from './vessel-codes.ts'

const NONE = { nullable: true } as const
/** A position older than this is not current, ms. Vessels at anchor report every three minutes. */
const CURRENT_FOR_MS = 30 * 60_000

/**
 * Vessel positions: the last report of each vessel, source and minute, plus reports at which it turned or changed speed. Volume:
 * 2,000 vessels give about three million rows a day. Days older than `keepsDays` are deleted.
 */
export const vesselPositions = defineDataset({
  id: 'vessel_positions',
  domain: 'maritime',
  title: 'Positions of vessels',
  about:
    'Position, speed, course and status of vessels from AIS: the last report of each minute, plus reports at which a vessel turned by 10 degrees or changed speed by 2 knots. Kept for 7 days. Pleasure and sailing craft are excluded.',
  sources: [aisReceivers, aisstream],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'ais_receivers' }),
    mmsi: col.string(2, 'Maritime Mobile Service Identity of the vessel, nine digits.', { example: '224123450' }),
    observed_at: col.instant(3, 'Time of the position: when it was received, with the second that the vessel states.', {
      example: '2026-08-27T05:40:33.000Z',
    }),
    position: col.point([4, 5], 'Where it is.', { example: { lat: 36.1312, lon: -5.4412 } }),
    is_accurate: col.boolean(6, 'True if the position is accurate to 10 m.', { example: true }),
    speed_kn: col.float(7, 'Speed over ground in knots; 102.2 means that or more.', {
      ...NONE,
      unit: '[kn_i]',
      example: 14.2,
      min: 0,
      max: 102.2,
    }),
    course_deg: col.float(8, 'Course over ground from true north.', { ...NONE, unit: 'deg', example: 271.3, min: 0, max: 359.9 }),
    heading_deg: col.integer(9, 'True heading.', { ...NONE, unit: 'deg', example: 270, min: 0, max: 359 }),
    rate_of_turn_deg_min: col.float(10, 'Rate of turn, to starboard; negative to port.', {
      ...NONE,
      unit: 'deg/min',
      example: 0,
      min: -720,
      max: 720,
    }),
    navigation_status: col.code(11, 'Navigational status; null if not stated.', NAVIGATION_STATUSES, orNull('UNDER_WAY_ENGINE')),
    ais_class: col.code(12, 'Class of its AIS station.', AIS_CLASSES, { example: 'A' }),
  },
  entity: ['source', 'mmsi'],
  time: 'observed_at',
  writeMode: 'append',
  currentFor_ms: CURRENT_FOR_MS,
  keepsDays: 7,
  partition: [day('observed_at')],
  order: ['mmsi', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
