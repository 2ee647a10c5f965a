import { type DownloadStep, type FeedBody, FormatError } from '../feeds/define.ts'
import { readJsonObject } from './json.ts'

/** A feature of an answer of an ArcGIS server: its attributes by name. */
export type Feature = Readonly<Record<string, unknown>>

/** The answer to a layer query. */
interface QueryAnswer {
  readonly features: readonly Feature[]
  /** True if the server reached its limit: there is another page. */
  readonly isPartial: boolean
}

/** An error, which servers send with status 200. */
interface ServerError {
  readonly code?: unknown
  readonly message?: unknown
}

/**
 * Reads an ArcGIS server's answer to a layer query as JSON (`f=json`). Throws `FormatError` for an error, which comes with
 * status 200, or if it is not a list of features with attributes.
 */
export function readFeatures(bytes: Buffer): QueryAnswer {
  const answer = parse(bytes)
  if (answer.error) throw new FormatError(`an error of the server: ${JSON.stringify(answer.error).slice(0, 300)}`)
  if (!Array.isArray(answer.features)) throw new FormatError('JSON, but no list of features')
  const features = answer.features.map((feature: { attributes?: unknown } | null) => {
    const attributes = feature?.attributes
    if (typeof attributes !== 'object' || attributes === null || Array.isArray(attributes))
      throw new FormatError('a feature without attributes')
    return attributes as Feature
  })
  return { features, isPartial: answer.exceededTransferLimit === true }
}

/**
 * The next page of a query (`resultOffset`), computed from the number of features; null after the last. A server's error gives
 * a refusal with the status it names. Throws `FormatError` like `readFeatures`.
 */
export function nextPage({ bytes }: Pick<FeedBody, 'bytes'>, url: string): DownloadStep | null {
  const { error } = parse(bytes)
  if (error) {
    const status = Number(error.code)
    return { refused: String(error.message ?? 'an error').slice(0, 300), retryable: status >= 500, status }
  }
  const { features, isPartial } = readFeatures(bytes)
  if (!isPartial) return null
  if (features.length === 0) throw new FormatError('a page without features that is not the last')
  const next = new URL(url)
  next.searchParams.set('resultOffset', String(Number(next.searchParams.get('resultOffset') ?? 0) + features.length))
  return { url: next.href }
}

function parse(bytes: Buffer): { features?: unknown; exceededTransferLimit?: unknown; error?: ServerError } {
  return readJsonObject(bytes, 'the answer')
}
