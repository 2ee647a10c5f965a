import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Greatest difference between the time of a signature and ours, in ms, as S3 has it. */
const MAX_SKEW_MS = 900_000
const FORM =
  /^AWS4-HMAC-SHA256 Credential=[^/,]+\/(\d{8})\/([\w-]+)\/(\w+)\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/
const INSTANT = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/** What is wrong with the signature of a request; null if it is right. */
type Fault = 'missing' | 'skewed' | 'wrong'

/**
 * Checks the header of a request that is signed with a secret (AWS Signature Version 4, "Create a signed request"). `hosts` are
 * the names under which clients know us, besides the one in the request: a proxy may have replaced it. `now` is in ms.
 */
export function signatureFault(
  raw: IncomingMessage,
  { secret, hosts, now }: { readonly secret: string; readonly hosts: readonly string[]; readonly now: number },
): Fault | null {
  const { headers, method = 'GET', url = '/' } = raw
  const [, date, region, service, names, signature] = FORM.exec(headers.authorization ?? '') ?? []
  const signedAt = String(headers['x-amz-date'])
  const [, ...parts] = INSTANT.exec(signedAt) ?? []
  if (!date || !region || !service || !names || !signature || parts.length === 0) return 'missing'
  const [year = 0, month = 1, ...rest] = parts.map(Number)
  if (!(Math.abs(Date.UTC(year, month - 1, ...rest) - now) <= MAX_SKEW_MS)) return 'skewed'
  const [path = '', query = ''] = url.split('?', 2)
  const scope = `${date}/${region}/${service}/aws4_request`
  const key = [date, region, service, 'aws4_request'].reduce((before: string | Buffer, part) => hmac(before, part), `AWS4${secret}`)
  const isSignedFor = (host: string): boolean => {
    const lines = names
      .split(';')
      .map((name) => `${name}:${(name === 'host' ? host : String(headers[name] ?? '')).trim().replace(/ +/g, ' ')}\n`)
    const payload = String(headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD')
    const request = [method, encoded(path, '/'), encoded(query, '&', '='), lines.join(''), names, payload].join('\n')
    const text = ['AWS4-HMAC-SHA256', signedAt, scope, createHash('sha256').update(request).digest('hex')].join('\n')
    return timingSafeEqual(hmac(key, text), Buffer.from(signature, 'hex'))
  }
  return names.split(';').includes('host') && [headers.host ?? '', ...hosts].some(isSignedFor) ? null : 'wrong'
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** A path, or a query with its parameters in order, in the one encoding that signatures are over. */
function encoded(text: string, separator: '/' | '&', equals?: '='): string {
  const encode = (part: string): string =>
    encodeURIComponent(decodeURIComponent(part)).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  if (equals === undefined) return text.split(separator).map(encode).join(separator)
  const pairs =
    text === ''
      ? []
      : text.split(separator).map((pair) => {
          const [name = '', value = ''] = pair.split(equals, 2)
          return `${encode(name)}${equals}${encode(value)}`
        })
  return pairs.sort().join(separator)
}
