import { readJsonObject } from '../../formats/json.ts'
import { FormatError, type Withhold } from '../define.ts'

/** Bits of `dbFlags`: registrations kept private by FAA programmes. */
const [MILITARY, PIA, LADD] = [1, 4, 8] as const

/** An aircraft as adsb.lol answers it. */
export type AdsbAircraft = Readonly<Record<string, unknown>>
/** An answer of adsb.lol. */
export interface AdsbAnswer {
  /** When it was made, ms. */
  readonly now: number
  readonly ac: readonly AdsbAircraft[]
}

const flagsOf = ({ dbFlags }: AdsbAircraft): number => (typeof dbFlags === 'number' ? dbFlags : 0)

/** True for an aircraft whose registration its owner has blocked: limited display (LADD) or a privacy address (PIA). */
export const isBlocked = (aircraft: AdsbAircraft): boolean => (flagsOf(aircraft) & (PIA | LADD)) !== 0

/** True for an aircraft that the list of adsb.lol has as military. */
export const isMilitary = (aircraft: AdsbAircraft): boolean => (flagsOf(aircraft) & MILITARY) !== 0

/** Reads an answer of adsb.lol. Throws `FormatError` for any other document. */
export function readAnswer(bytes: Buffer): AdsbAnswer {
  const answer = readJsonObject(bytes, 'the answer')
  const { now, ac } = answer
  if (typeof now !== 'number' || !Array.isArray(ac)) throw new FormatError('the answer has no now and ac')
  if (ac.some((one) => typeof one !== 'object' || one === null)) throw new FormatError('ac has a member that is no object')
  return { ...answer, now, ac: ac as AdsbAircraft[] }
}

/** Removes blocked aircraft from an answer of adsb.lol. */
export const withholdAircraft: Withhold = {
  env: 'AIRCRAFT_BLOCKED',
  from(bytes, listed) {
    const answer = readAnswer(bytes)
    const isListed = ({ hex, r }: AdsbAircraft): boolean =>
      [hex, r].some((id) => typeof id === 'string' && listed.has(id.trim().toUpperCase()))
    const ac = answer.ac.filter((one) => !isBlocked(one) && !isListed(one))
    return ac.length === answer.ac.length ? bytes : Buffer.from(JSON.stringify({ ...answer, ac, total: ac.length }))
  },
}

/** Removes the operator's listed aircraft from an OpenSky answer, which only has addresses. */
export const withholdStates: Withhold = {
  env: 'AIRCRAFT_BLOCKED',
  from(bytes, listed) {
    const answer = readJsonObject(bytes, 'the answer')
    const { states } = answer
    if (!Array.isArray(states)) return bytes
    const kept = states.filter((one: unknown) => !(Array.isArray(one) && listed.has(String(one[0]).trim().toUpperCase())))
    return kept.length === states.length ? bytes : Buffer.from(JSON.stringify({ ...answer, states: kept }))
  },
}
