import type { IncomingMessage } from 'node:http'
import { type Problem, problem } from '../problems.ts'

/** Headers that let pages of any origin read a data path, without credentials. */
export const CORS_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, Link, Content-Disposition, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Data-Age, X-Next-Cursor, Retry-After, Deprecation, Sunset, X-Request-Id, Location',
})

/** On every reply: the Content-Type is right, so clients must not guess it. */
export const AS_TYPED: Readonly<Record<string, string>> = Object.freeze({ 'X-Content-Type-Options': 'nosniff' })

/**
 * Removes the `charset` that Fastify appends to JSON types. They define none (RFC 8259, 11), and clients made by oapi-codegen
 * read no body whose Content-Type has more than the media type.
 */
export function withoutCharset(contentType: string): string {
  return contentType.replace(/^([^;]*json); charset=utf-8$/, '$1')
}

/** Further headers of the reply to a preflight OPTIONS request. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  ...CORS_HEADERS,
  'Access-Control-Allow-Headers': 'X-API-Key, If-None-Match, Accept, Content-Type, Idempotency-Key, Last-Event-ID',
  'Access-Control-Max-Age': '86400',
})

/** The request headers that replies of data paths depend on. */
export const VARY = 'Accept, Accept-Encoding, Accept-Language, X-API-Key'

/** Keeps replies about keys out of every cache. */
export const NO_STORE = Object.freeze({ 'Cache-Control': 'no-store' })

/** Longest URL, in characters. */
export const MAX_URL = 16_384

/** Throws if a URL is too long to be read. */
export function refuseLongUrl({ url = '' }: IncomingMessage): void {
  if (url.length > MAX_URL) throw urlTooLong()
}

/** Returns the problem of a URL that is too long to be read. */
export function urlTooLong(): Problem {
  return problem('uri-too-long', `The URL is longer than ${MAX_URL} characters.`)
}

/** Methods of a data path. */
export const ALLOW = 'GET, HEAD, OPTIONS'

/** The conditions of a request that a cached copy may meet. */
export interface Conditions {
  readonly 'if-none-match'?: string | undefined
  readonly 'if-modified-since'?: string | undefined
}

/** True if the caller's copy is still valid: by its tag or, without one, by its time (RFC 9110 §13.2.2). */
export function isNotModified(conditions: Conditions, head: { readonly etag: string; readonly modified_at: number | null }): boolean {
  const tag = conditions['if-none-match']
  if (tag !== undefined) return matchesTag(tag, head.etag)
  const since = conditions['if-modified-since']
  if (since === undefined || head.modified_at === null || !since.endsWith(' GMT')) return false
  return Math.floor(head.modified_at / 1000) * 1000 <= Date.parse(since)
}

/** True if an If-None-Match header names the tag, by weak comparison (RFC 9110 §13.1.2). */
export function matchesTag(header: string, etag: string): boolean {
  if (header === etag) return true
  if (header.trim() === '*') return true
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '')
  return header.split(',').some((tag) => opaque(tag) === opaque(etag))
}
