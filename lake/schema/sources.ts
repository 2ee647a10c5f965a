/** Whether a paid service may carry the data: said by the licence, or not known. */
export type CommercialUse = 'yes' | 'no' | 'unknown'

/** A publisher's data set as its licence sees it. */
export interface Source {
  readonly id: string
  readonly publisher: string
  /** Page that describes the data, for people. */
  readonly url: string
  readonly licence: string
  readonly licence_url: string
  /** The words a reuser has to show. */
  readonly attribution: string
  readonly commercial_use: CommercialUse
}

/** Declares a source; see `Source`. */
export function defineSource(source: Source): Source {
  return Object.freeze(source)
}
