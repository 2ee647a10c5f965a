import { col, orNull } from '../../schema/columns.ts'
import { COUNT } from '../../schema/quantities.ts'
import { railDataset } from '../domains.ts'
import { RAIL_STOCK_TYPES } from './codes.ts'
import { renfe } from './sources.ts'

/**
 * Renfe's train models. Names are not unique: `Media Distancia R-592` is a medium-distance model and a commuter model, with
 * different engines and seats.
 */
export const railStock = railDataset({
  id: 'rail_stock',
  title: 'Rolling stock',
  about: "Renfe's models of trains: series, use, gauge, speed, power, size and seats.",
  sources: [renfe],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'renfe' }),
    model: col.string(2, 'Model as published.', { example: 'Media Distancia R-449' }),
    purpose: col.string(3, 'Use, as published.', { example: 'Pasajeros - Media distancia' }),
    observed_at: col.instant(4, 'Fetch of this state: the list has no date.', {
      example: '2022-07-03T00:00:00.000Z',
    }),
    series: col.string(
      5,
      'Series: the digits in the name of the model, which its vehicle numbers begin with (112 for 112M too); null if there are none.',
      orNull('449'),
    ),
    stock_type: col.code(6, 'Use.', RAIL_STOCK_TYPES, { example: 'MEDIUM_DISTANCE' }),
    gauges_mm: col.list([7, 8], 'Gauges it runs on, in the order published.', col.integer(0, 'Gauge.', { unit: 'mm' }), {
      example: [1668],
    }),
    top_speeds_kmh: col.list(
      [9, 10],
      'Top speeds, in the order published; if several, one for each gauge or kind of traction.',
      col.integer(0, 'Top speed.', { unit: 'km/h' }),
      { example: [160] },
    ),
    powers_kw: col.list([11, 12], 'Total power, in the order published, by the same rule.', col.integer(0, 'Power.', { unit: 'kW' }), {
      example: [2400],
    }),
    voltages_v: col.list([13, 14], 'Voltages it runs under; none for diesel trains.', col.integer(0, 'Voltage.', { unit: 'V' }), {
      example: [3000],
    }),
    motors: col.string(15, 'Motors as published.', orNull('6 asíncronos')),
    mass_t: col.decimal(16, 'Mass without load.', { scale: 2, unit: 't', nullable: true, example: 172.2, min: 0 }),
    length_m: col.decimal(17, 'Length of the whole train.', { scale: 2, unit: 'm', nullable: true, example: 98.97, min: 0 }),
    seats_min: col.integer(18, 'Least number of seats; null if none is published or it varies.', {
      ...COUNT,
      nullable: true,
      example: 257,
    }),
    seats_max: col.integer(19, 'Greatest number of seats, by the same rule; it differs only if two numbers are published (123/105).', {
      ...COUNT,
      nullable: true,
      example: 257,
    }),
    seats: col.string(20, 'Seats as published: a number, two numbers, or that they vary.', orNull('257')),
    signalling: col.string(21, 'Signalling systems as published.', orNull('ASFA, comunicación tren tierra y GSM-R')),
    manufacturer: col.string(22, 'Manufacturer, as published.', orNull('CAF - Alstom')),
    units_built: col.integer(23, 'Number built.', { ...COUNT, nullable: true, example: 57 }),
    is_accessible: col.boolean(24, 'Whether a wheelchair can ride: always null, since the source does not state it.', orNull(null)),
    photos_url: col.string(25, 'Page with pictures.', {
      nullable: true,
      example: 'http://www.renfe.com/viajeros/nuestros_trenes/md_449.html',
    }),
    features_url: col.string(26, 'Page about its passenger facilities.', orNull(null)),
    sheet_url: col.string(27, 'Page of its technical data.', orNull(null)),
  },
  entity: ['model', 'purpose'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})
