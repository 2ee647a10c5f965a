import { setTimeout as delay } from 'node:timers/promises'
import type { AttributedSource } from '../../../lake/schema/attribution.ts'

/** The API and the key to use. */
export interface Remote {
  /** Address of the API, without a trailing slash. */
  readonly url: string
  readonly key: string
  /** Tries of a request before it counts as failed. */
  readonly attempts?: number
  /** The first pause between two tries, in ms; each is twice as long as the previous one. */
  readonly pause_ms?: number
}

/** A file as the manifest lists it. */
export interface RemoteFile {
  readonly file: string
  readonly bytes: number
  readonly rows: number
  readonly sha256: string | null
  readonly url: string
}

/** The files of one snapshot of a dataset. */
export interface Manifest {
  readonly files: readonly RemoteFile[]
  readonly snapshot: string | null
  readonly sources: readonly AttributedSource[]
}

/** Longest pause that a reply may request, in seconds. */
const MAX_PAUSE_S = 120

/** Fetches the manifest of a dataset. Throws with the API's own message if it is refused. */
export async function fetchManifest(remote: Remote, dataset: string): Promise<Manifest> {
  const response = await request(remote, `${remote.url}/api/export/${encodeURIComponent(dataset)}`)
  const { files, meta } = (await response.json()) as {
    readonly files: readonly (RemoteFile & { readonly snapshot: string })[]
    readonly meta: { readonly sources: readonly AttributedSource[] }
  }
  return { files, snapshot: files[0]?.snapshot ?? null, sources: meta.sources }
}

/** Fetches JSON about a dataset: its card as Croissant, or with `/schema` its schema. */
export async function fetchAbout(remote: Remote, dataset: string, part: '' | '/schema'): Promise<unknown> {
  const accept: Record<string, string> = part === '' ? { Accept: 'application/ld+json' } : {}
  return (await request(remote, `${remote.url}/api/datasets/${encodeURIComponent(dataset)}${part}`, accept)).json()
}

/**
 * Sends a GET request, again after a pause if the connection broke or the server asks for it (429, 5xx). The key is sent to the
 * API only, never to a signed URL. Throws with status and detail of an unsuccessful reply.
 */
export async function request(remote: Remote, url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const { attempts = 6, pause_ms = 500, key } = remote
  const isSigned = !url.startsWith(`${remote.url}/`) || new URL(url).searchParams.has('signature')
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, {
      headers: { ...(isSigned ? {} : { 'X-API-Key': key, Accept: 'application/json' }), ...headers },
    }).catch((error: Error) => error)
    if (response instanceof Response && response.ok) return response
    const isFinal = response instanceof Response && response.status !== 429 && response.status < 500
    if (isFinal || tries >= attempts) throw await failure(url, response)
    const asked_s = response instanceof Response ? Number(response.headers.get('retry-after')) : 0
    if (response instanceof Response) await response.body?.cancel()
    await delay(Math.max(1000 * Math.min(asked_s || 0, MAX_PAUSE_S), pause_ms * 2 ** (tries - 1)))
  }
}

/** An unsuccessful reply, with its status. */
export class ReplyError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

async function failure(url: string, found: Response | Error): Promise<Error> {
  const path = new URL(url).pathname
  if (!(found instanceof Response)) return new Error(`${path}: ${found.cause instanceof Error ? found.cause.message : found.message}`)
  const text = await found.text()
  const detail = /"detail":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? found.statusText
  return new ReplyError(found.status, `${path}: HTTP ${found.status}: ${detail}`)
}
