/** The kind of vessel by its AIS type of ship and cargo; null for none. */
export function vesselType(code: number | null): string | null {
  if (code === null) return null
  return SPECIAL[code] ?? TENS[Math.floor(code / 10)] ?? 'OTHER'
}

const SPECIAL: Readonly<Record<number, string>> = {
  30: 'FISHING',
  31: 'TUG',
  32: 'TUG',
  33: 'DREDGER',
  34: 'DIVING',
  35: 'MILITARY',
  50: 'PILOT',
  51: 'SEARCH_AND_RESCUE',
  52: 'TUG',
  53: 'PORT_TENDER',
  54: 'ANTI_POLLUTION',
  55: 'LAW_ENFORCEMENT',
  58: 'MEDICAL',
}
const TENS: Readonly<Record<number, string>> = { 2: 'WING_IN_GROUND', 4: 'HIGH_SPEED', 6: 'PASSENGER', 7: 'CARGO', 8: 'TANKER' }

/** The standard's navigational statuses by number; 9, 10 and 13 are reserved, 14 is a distress beacon. */
const STATUSES = [
  'UNDER_WAY_ENGINE',
  'AT_ANCHOR',
  'NOT_UNDER_COMMAND',
  'RESTRICTED_MANOEUVRABILITY',
  'CONSTRAINED_BY_DRAUGHT',
  'MOORED',
  'AGROUND',
  'FISHING',
  'UNDER_WAY_SAILING',
  'OTHER',
  'OTHER',
  'TOWING_ASTERN',
  'PUSHING',
  'OTHER',
  'OTHER',
] as const

/** The code of a navigational status by its number; null for none. */
export function navigationStatus(status: number | null): string | null {
  return status === null ? null : (STATUSES[status] ?? null)
}

/** True for the MMSI of a vessel: nine digits starting with a ship station's country code, 2 to 7. */
export function isVesselMmsi(mmsi: number): boolean {
  return Number.isInteger(mmsi) && mmsi >= 200_000_000 && mmsi < 800_000_000
}

const SAILING = 36
const PLEASURE = 37

/**
 * True for craft that may be private: sailing and pleasure craft, and in class B those without a type or of type "other".
 * Larger ships have class A.
 */
export function isPrivateType(shipType: number | null, aisClass: 'A' | 'B'): boolean {
  if (shipType === SAILING || shipType === PLEASURE) return true
  return aisClass === 'B' && (shipType === null || shipType < 20 || shipType >= 90)
}
