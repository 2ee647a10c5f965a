import type { ReplyRecord, ToolRequest } from './tool.ts'

/** A reply of the API. */
export interface ApiReply {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: ReplyRecord
}

/** Sends a request to the API with the caller's key and limits; the URL begins with `/`. */
export type Ask = (url: string, signal: AbortSignal) => Promise<ApiReply>

/** The URL of a request, without the address of the API. */
export function urlOf({ path, inPath = {}, query }: Pick<ToolRequest, 'path' | 'inPath' | 'query'>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(inPath[name] ?? ''))
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    params.set(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  const text = params.toString()
  return text === '' ? filled : `${filled}?${text}`
}

/** Sends requests over HTTP, as the stdio server does. Without a key (null) the limits for anonymous callers apply. */
export function askOverHttp(baseUrl: string, key: string | null): Ask {
  return async (url, signal) => {
    const response = await fetch(`${baseUrl}${url}`, {
      headers: { Accept: 'application/json', ...(key === null ? {} : { 'X-API-Key': key }) },
      signal,
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as ReplyRecord }
  }
}
