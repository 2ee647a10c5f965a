import { diceOf, pickWeighted, weights } from '../random.ts'
import { localText } from './rhythm.ts'
import type { SituationKind } from './situation-kinds.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const TOKENS = weights('counter:30 uuid:12 token:58')

/** The id of a record in its original system, in that system's format; null if DGT's own operators entered it. */
export function referenceOf(of: {
  readonly form: SituationKind['reference']
  readonly seed: number
  readonly id: number
  readonly nth: number
  readonly bornAt: number
}): string | null {
  const { form, seed, id, nth, bornAt } = of
  if (form === 'none') return null
  const dice = diceOf(seed, 'reference', id)
  const local = (pattern: string): string => localText(bornAt, pattern)
  const day = local('YYYYMMDD')
  const number = (digits: number): string => String(Math.floor(dice() * 10 ** digits)).padStart(digits, '0')
  if (form === 'works') return `TRZ_OB${day}/${number(6)}.${number(7)}.${nth % 3}.${1 + (nth >> 1)}`
  if (form === 'renewal') return `REN_OB${day}/${number(6)}·${Number(number(3)) + nth}`
  if (form === '112') return dice() < 0.8 ? `112_112_GV·5_${number(8)}` : `112_112_RM·${day}${local('hh')}${number(7)}`
  // The maker of a beacon assigns the token; the prefix is DGT's, and has changed.
  const prefix = dice() < 0.04 ? 'V16' : 'D30'
  const token = pickWeighted(TOKENS, dice())
  if (token === 'counter') return `${prefix}_${local('YYYY')}-${number(7)}_9`
  if (token === 'uuid') return `${prefix}_${hex(dice, 8)}-${hex(dice, 4)}-3${hex(dice, 3)}-9${hex(dice, 3)}-${hex(dice, 12)}_1`
  const name = Array.from({ length: 12 }, () => LETTERS.charAt(Math.floor(dice() * LETTERS.length))).join('')
  return `${prefix}_${name}-${bornAt + Math.floor(dice() * 9000)}_1`
}

function hex(dice: () => number, length: number): string {
  return Array.from({ length }, () => Math.floor(dice() * 16).toString(16)).join('')
}
