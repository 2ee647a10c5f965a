/** Whether a paid service may redistribute the data: stated by the licence, or unknown. */
export type CommercialUse = 'yes' | 'no' | 'unknown'

/** A publisher's data set under one licence. */
export interface Source {
  readonly id: string
  readonly publisher: string
  /** Page that describes the data for people. */
  readonly url: string
  readonly licence: string
  readonly licence_url: string
  /** The required attribution. */
  readonly attribution: string
  readonly commercial_use: CommercialUse
}

/** The licence Creative Commons Attribution 4.0, which permits commercial use. */
export const CC_BY_4 = Object.freeze({
  ...{ licence: 'CC BY 4.0', licence_url: 'https://creativecommons.org/licenses/by/4.0/', commercial_use: 'yes' },
} as const)

/** Declares a source; see `Source`. */
export function defineSource(source: Source): Source {
  return Object.freeze(source)
}
