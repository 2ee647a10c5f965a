import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Greatest difference between the time of a signature and ours, in ms, as S3 has it. */
const MAX_SKEW_MS = 900_000
const ALGORITHM = 'AWS4-HMAC-SHA256'
const FORM =
  /^AWS4-HMAC-SHA256 Credential=[^/,]+\/(\d{8})\/([\w-]+)\/(\w+)\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/
const INSTANT = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/
const UNSIGNED = 'UNSIGNED-PAYLOAD'

/** What is wrong with the signature of a request; null if it is right. */
type Fault = 'missing' | 'skewed' | 'wrong'

/** A request as signatures are over it; headers by their names in lower case. */
interface Signed {
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly region: string
  readonly service: string
  readonly secret: string
}

/**
 * Checks the header of a request that is signed with a secret (AWS Signature Version 4, "Create a signed request"). `hosts` are
 * the names under which clients know us, besides the one in the request: a proxy may have replaced it. `now` is in ms.
 */
export function signatureFault(
  raw: IncomingMessage,
  { secret, hosts, now }: { readonly secret: string; readonly hosts: readonly string[]; readonly now: number },
): Fault | null {
  const { headers, method = 'GET', url = '/' } = raw
  const [, date, region, service, names = '', signature] = FORM.exec(headers.authorization ?? '') ?? []
  const [, ...parts] = INSTANT.exec(String(headers['x-amz-date'])) ?? []
  if (!date || !region || !service || !signature || parts.length === 0) return 'missing'
  const [year = 0, month = 1, ...rest] = parts.map(Number)
  if (!(Math.abs(Date.UTC(year, month - 1, ...rest) - now) <= MAX_SKEW_MS)) return 'skewed'
  const isSignedFor = (host: string): boolean => {
    const signed = Object.fromEntries(names.split(';').map((name) => [name, name === 'host' ? host : String(headers[name] ?? '')]))
    const more = {
      'x-amz-date': String(headers['x-amz-date']),
      'x-amz-content-sha256': String(headers['x-amz-content-sha256'] ?? UNSIGNED),
    }
    return timingSafeEqual(signatureOf({ method, url, headers: signed, region, service, secret }, more), Buffer.from(signature, 'hex'))
  }
  return names.split(';').includes('host') && [headers.host ?? '', ...hosts].some(isSignedFor) ? null : 'wrong'
}

/** Returns the headers that sign a request to S3, with those that it has of S3's own. `now` is in ms. */
export function signedHeaders(
  { method, url, headers }: { readonly method: string; readonly url: URL; readonly headers: Readonly<Record<string, string>> },
  { region, now, keys }: { readonly region: string; readonly now: number; readonly keys: SigningKeys },
): Record<string, string> {
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-amz-')))
  const signed = {
    ...{ 'x-amz-content-sha256': UNSIGNED, ...own, host: url.host },
    'x-amz-date': new Date(now).toISOString().replaceAll(/[:-]|\.\d+/g, ''),
    ...(keys.sessionToken === null ? {} : { 'x-amz-security-token': keys.sessionToken }),
  }
  const names = Object.keys(signed).sort()
  const request = { method, url: url.pathname + url.search, headers: signed, region, service: 's3', secret: keys.secretAccessKey }
  const scope = `${signed['x-amz-date'].slice(0, 8)}/${region}/s3/aws4_request`
  const { host: _host, ...sent } = signed
  return {
    ...sent,
    authorization: `${ALGORITHM} Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signatureOf(request, signed).toString('hex')}`,
  }
}

/** Keys that sign requests. */
interface SigningKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

/** The signature of a request by the headers given; `at` are its time and the hash of its body. */
function signatureOf(
  { method, url, headers, region, service, secret }: Signed,
  at: { readonly 'x-amz-date': string; readonly 'x-amz-content-sha256': string },
): Buffer {
  const [path = '', query = ''] = url.split('?', 2)
  const names = Object.keys(headers).sort()
  const lines = names.map((name) => `${name}:${headers[name]?.trim().replace(/ +/g, ' ')}\n`).join('')
  const request = [method, pathText(path), queryText(query), lines, names.join(';'), at['x-amz-content-sha256']].join('\n')
  const instant = at['x-amz-date']
  const scope = [instant.slice(0, 8), region, service, 'aws4_request']
  const key = scope.reduce((before: string | Buffer, part) => hmac(before, part), `AWS4${secret}`)
  return hmac(key, [ALGORITHM, instant, scope.join('/'), createHash('sha256').update(request).digest('hex')].join('\n'))
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function encoded(part: string): string {
  return encodeURIComponent(decodedPart(part) ?? part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Returns a part of a URL without its encoding; null if it is no encoding of UTF-8. */
export function decodedPart(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

function pathText(path: string): string {
  return path.split('/').map(encoded).join('/')
}

/** The parameters of a query in order. */
function queryText(query: string): string {
  if (query === '') return ''
  const pairs = query.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split('=', 2)
    return `${encoded(name)}=${encoded(value)}`
  })
  return pairs.sort().join('&')
}
