import { type Policy, perDay, perMinute } from './limits/policy.ts'

/** The header in which our own pages send their token. */
export const PAGE_TOKEN = 'x-page-token'

/** Limit of an address's requests from our map: a dozen layers, each once a minute at most, and what people open there. */
export const PAGE_POLICIES: readonly Policy[] = Object.freeze([perMinute(90), perDay(10_000)])

/** Validity of a token, in hours. A page that is open for longer gets another one from `/map/token`. */
const HOURS = 24

/** Signs texts with an end, as cursors are. */
interface Seals {
  seal(position: 'page', options: { readonly bind: string; readonly now: number; readonly hours: number }): string
  open(text: string, options: { readonly bind: string; readonly now: number }): unknown
}

/** Makes and checks the tokens of pages. Each is for one address. */
export interface PageTokens {
  make(address: string): string
  isValid(text: string, address: string): boolean
}

/** Opens the tokens of pages; `clock` is in ms. */
export function pageTokens(seals: Seals, clock: () => number): PageTokens {
  const bind = (address: string): string => `page ${address}`
  return {
    make: (address) => seals.seal('page', { bind: bind(address), now: clock(), hours: HOURS }),
    isValid(text, address) {
      try {
        return seals.open(text, { bind: bind(address), now: clock() }) === 'page'
      } catch {
        return false
      }
    },
  }
}
