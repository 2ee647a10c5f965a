import { defineCodes } from '../../schema/codes.ts'

/** Stop uses of GTFS (`pickup_type`, `drop_off_type`), in order of their numbers. */
export const STOP_USES = ['REGULAR', 'NONE', 'PHONE_AGENCY', 'ASK_DRIVER'] as const

/** Boarding and alighting rules at a stop of a trip. Rail has its own list of the same codes. */
export const TRANSIT_STOP_USES = defineCodes('transit_stop_use', 'Whether travellers can board or alight at a stop of a trip.', {
  REGULAR: ['Sin aviso', 'Regularly'],
  NONE: ['No se permite', 'Not at all'],
  PHONE_AGENCY: ['Con aviso a la operadora', 'After a call to the operator'],
  ASK_DRIVER: ['Con aviso a la tripulación', 'After asking the crew'],
})
