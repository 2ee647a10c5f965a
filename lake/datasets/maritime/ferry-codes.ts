import { defineCodes } from '../../schema/codes.ts'

/** Operators that publish ferry timetables as GTFS. */
export const FERRY_OPERATORS = defineCodes('ferry_operator', 'Operator whose timetable a ferry route is in.', {
  BALEARIA: ['Baleària', 'Baleària'],
  FRED_OLSEN: ['Fred. Olsen Express', 'Fred. Olsen Express'],
  VIZCAYA_BRIDGE: ['Puente Bizkaia (transbordador)', 'Vizcaya Bridge (transporter bridge)'],
})

/** Kinds of ferry service, by GTFS route type: 4, 1000 to 1099 and 1200. */
export const FERRY_KINDS = defineCodes('ferry_kind', 'Kind of ferry service, by its GTFS route type.', {
  FERRY: ['Transbordador', 'Ferry, passengers or vehicles not stated'],
  CAR_FERRY: ['Transbordador de vehículos', 'Car ferry'],
  PASSENGER_FERRY: ['Transbordador de pasajeros', 'Passenger ferry'],
  OTHER: ['Otro transporte por agua', 'Other water transport'],
})
