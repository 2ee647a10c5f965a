import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { aisReceivers, aisstream } from './sources.ts'
import { AIS_CLASSES, VESSEL_TYPES } from './vessel-codes.ts'

const NONE = { nullable: true } as const

/** Vessels as they describe themselves, one row per state. A vessel missing from a source keeps its state. */
export const vessels = defineDataset({
  id: 'vessels',
  domain: 'maritime',
  title: 'Vessels',
  about:
    'Vessels as their AIS stations describe them: name, call sign, IMO number, type, dimensions and voyage. The crew enters these values. Pleasure and sailing craft are excluded.',
  sources: [aisReceivers, aisstream],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'ais_receivers' }),
    mmsi: col.string(2, 'Maritime Mobile Service Identity, nine digits.', { example: '224123450' }),
    observed_at: col.instant(3, 'End of the minute in which this state was received.', { example: '2026-08-27T05:41:00.000Z' }),
    name: col.string(4, 'Name of the vessel.', orNull('EXAMPLE STAR')),
    callsign: col.string(5, 'Radio call sign.', orNull('EAXY')),
    imo_number: col.string(6, 'IMO number; null if none is sent or its check digit is wrong.', orNull('9074729')),
    vessel_type: col.code(7, 'Kind of vessel; null if not stated.', VESSEL_TYPES, orNull('CARGO')),
    ais_type: col.integer(8, 'Type of ship and cargo as sent, by ITU-R M.1371.', { ...NONE, unit: '1', example: 71, min: 1, max: 99 }),
    ais_class: col.code(9, 'Class of its AIS station.', AIS_CLASSES, { example: 'A' }),
    length_m: col.integer(10, 'Length.', { ...NONE, unit: 'm', example: 194, min: 1, max: 1022 }),
    beam_m: col.integer(11, 'Beam.', { ...NONE, unit: 'm', example: 32, min: 1, max: 126 }),
    draught_m: col.decimal(12, 'Greatest present draught; 25.5 means that or more.', {
      ...NONE,
      scale: 1,
      unit: 'm',
      example: 11.4,
      min: 0,
      max: 25.5,
    }),
    destination: col.string(13, 'Destination as entered by the crew, in any form.', orNull('ALGECIRAS')),
  },
  entity: ['source', 'mmsi'],
  time: 'observed_at',
  writeMode: 'changes',
  order: ['mmsi', 'source', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
