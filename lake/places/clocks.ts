import { MADRID } from '../schema/time.ts'

/** Provinces one hour behind Madrid: Las Palmas and Santa Cruz de Tenerife. */
export const CANARIES: readonly string[] = Object.freeze(['35', '38'])

/** The time zone of a province, by its INE code. */
export function zoneOf(province_code: string): string {
  return CANARIES.includes(province_code) ? 'Atlantic/Canary' : MADRID
}
