import { decodeText } from '../../formats/text.ts'
import { type Diagnostics, type DownloadStep, type FeedBody, type FeedRequest, FormatError, type RequestLimit } from '../define.ts'
import { requestOf } from '../request.ts'

/** AEMET's temporary refusals: too many requests in a minute, and a server error. */
const SOON_OVER = (state: number): boolean => state === 429 || state >= 500

/** Requests for on-demand documents, of the 40 a minute that AEMET allows per key; the rest is for other feeds and retries. */
export const AEMET_LIMIT: RequestLimit = Object.freeze({ name: 'aemet', perMinute: 30 })

/** Most bytes of a document that only states why it has no data; data is never this short. */
const MOST_REFUSAL = 2000

/**
 * A request to AEMET OpenData: a first answer `{descripcion, estado, datos, metadatos}`, requested with a key, names the
 * document.
 */
export function aemetRequest(name: string, path: string, maxBytes: number): FeedRequest {
  return requestOf({
    ...{ name, url: `https://opendata.aemet.es/opendata/api/${path}`, maxBytes, expects: 'json' },
    twoStep: { hosts: ['opendata.aemet.es'], to: readDownloadLink },
    // About three months (seen 2026-11).
    secret: { env: 'AEMET_API_KEY', header: 'api_key', validFor_s: 90 * 86_400 },
  })
}

/**
 * Reads the first answer: `estado` has the actual status, which HTTP may lack: 401 for a bad key, 404 for no data, 429 for too
 * many requests.
 */
export function readDownloadLink(bytes: Buffer): DownloadStep {
  let slip: unknown
  try {
    slip = JSON.parse(decodeText(bytes, 'iso-8859-15'))
  } catch {
    return { refused: 'the first answer is not JSON, so it names no address of the data', retryable: true }
  }
  const { estado, descripcion, datos } = (slip ?? {}) as Record<string, unknown>
  if (estado !== 200) {
    const detail = typeof descripcion === 'string' ? `: ${descripcion.slice(0, 200)}` : ''
    const refused = `estado ${String(JSON.stringify(estado))}${detail}`
    return typeof estado === 'number' ? { refused, retryable: SOON_OVER(estado), status: estado } : { refused, retryable: false }
  }
  return typeof datos === 'string' ? { url: datos } : { refused: 'estado 200 without the address of the data (datos)', retryable: true }
}

/** True for a document that states "no data" (`estado` 404), as the second step does with status 200. */
export function isNoData({ bytes }: FeedBody): boolean {
  if (bytes.length > MOST_REFUSAL) return false
  try {
    return (JSON.parse(decodeText(bytes, 'iso-8859-15')) as { estado?: unknown } | null)?.estado === 404
  } catch {
    return false
  }
}

/** A record as published by AEMET: members of any type. */
export type AemetRecord = Readonly<Record<string, unknown>>

/** The records of a document: a JSON list in ISO 8859-15. Throws `FormatError` for anything else. */
export function readRecords(body: FeedBody): readonly AemetRecord[] {
  let document: unknown
  try {
    document = JSON.parse(decodeText(body.bytes, 'iso-8859-15'))
  } catch (cause) {
    throw new FormatError(`${body.name} is no JSON: ${(cause as Error).message}`)
  }
  if (!Array.isArray(document)) {
    const { estado, descripcion } = (document ?? {}) as AemetRecord
    const detail = estado === undefined ? '' : `: estado ${JSON.stringify(estado)}, ${String(descripcion).slice(0, 200)}`
    throw new FormatError(`${body.name} is no list${detail}`)
  }
  const odd = document.findIndex((one) => typeof one !== 'object' || one === null || Array.isArray(one))
  if (odd >= 0) throw new FormatError(`${body.name}: record ${odd} is no object`)
  return document as AemetRecord[]
}

/** A text, trimmed and with single blanks; null if missing or empty. */
export function textOf(record: AemetRecord, key: string): string | null {
  const value = record[key]
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() || null : null
}

/** Reports unknown keys of records, once per record: a new measure, or a renamed one. */
export function watchKeys(list: string, known: ReadonlySet<string>, diagnostics: Diagnostics): (record: AemetRecord) => void {
  return (record) => {
    for (const key in record) if (!known.has(key)) diagnostics.unknownCode(list, key)
  }
}
