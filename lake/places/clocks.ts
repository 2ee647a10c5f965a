import { MADRID } from '../schema/time.ts'

/** Provinces whose clocks are an hour behind Madrid's: Las Palmas and Santa Cruz de Tenerife. */
export const CANARIES: readonly string[] = Object.freeze(['35', '38'])

/** The zone of the clocks of a province, by its INE code. */
export function zoneOf(province_code: string): string {
  return CANARIES.includes(province_code) ? 'Atlantic/Canary' : MADRID
}
