import { Agent, request } from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { MCP_PATH } from '../../../api/features/mcp/http.ts'
import { trafficForecasts } from '../../../lake/datasets/road/traffic-forecasts.ts'
import { openapi } from '../openapi.ts'
import { exampleTableRow, fillWithExamples, type Reply, startService, type TestService } from '../service.ts'
import { type FuzzOperation, type FuzzParameter, type FuzzRequest, requestsTo } from './fuzz-requests.ts'

/** The same requests in every run; another seed gives others. */
const SEED = 20261122
/** A day of the examples' timetable. */
const NOW = Date.UTC(2026, 7, 22, 10)
/** Requests to each operation. */
const RUNS = 60

/** How bodies are unpacked, by Content-Encoding. */
const UNPACK: Readonly<Record<string, (packed: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

const description = openapi(endpoints, 'https://api.example.org') as Reply
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(description, 'api')

// The MCP server answers errors of its protocol as JSON-RPC, not as problems.
const operations = Object.entries<Reply>(description.paths).flatMap(([path, methods]) =>
  path === MCP_PATH ? [] : Object.entries<Reply>(methods).map(([method, spec]) => ({ path, method: method.toUpperCase(), spec })),
)
const agent = new Agent({ keepAlive: true, maxSockets: 4 })

let service: TestService
let key: string
beforeAll(async () => {
  service = await startService({ proxies: '127.0.0.1', clock: () => NOW })
  await fillWithExamples(service)
  // The example is of a past hour; a list is of future ones.
  const ahead = { made_at: NOW, starts_at: NOW + 3_600_000, series_kind: 'SENSOR', series: '3840', series_id: '3840', direction: null }
  await service.land(trafficForecasts, [exampleTableRow(trafficForecasts, ahead)], NOW + 3_600_000)
  key = await service.key('ENTERPRISE')
})
afterAll(async () => {
  agent.destroy()
  await service?.close()
})

test.each(operations.map((one) => [`${one.method} ${one.path}`, one] as const))(
  '%s answers any input as documented',
  async (_name, one) => {
    const operation = operationOf(one)
    const requests = requestsTo(operation, key)
    await fc.assert(
      fc.asyncProperty(requests, async (asked) => {
        // The path of a file without its name is that of the manifest.
        fc.pre(!one.spec.tags.includes('export') || !asked.target.split('?')[0]?.endsWith('/'))
        check(one, asked, await send(asked))
      }),
      { seed: SEED, numRuns: RUNS },
    )
    expect((await service.open('/health')).status).toBe(200)
  },
)

function operationOf({ method, path, spec }: (typeof operations)[number]): FuzzOperation {
  const [[type, content] = []] = Object.entries<Reply>(spec.requestBody?.content ?? {})
  const forms: Reply[] = content?.schema.oneOf ?? [content?.schema]
  const members = [...new Set(forms.flatMap((form) => Object.keys(form?.properties ?? {})))]
  const body = type === undefined ? null : { type, members, example: content.example }
  return {
    method,
    path,
    parameters: (spec.parameters ?? []).map((one: Reply) => ({ example: one['x-example'], ...one })) as FuzzParameter[],
    body,
  }
}

function send({ method, target, headers, body }: FuzzRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Node would send the body of a GET without its length.
    const all = body === null ? headers : { ...headers, 'Content-Length': Buffer.byteLength(body) }
    const sent = request(`${service.url}/`, { method, path: target, headers: all, agent }, (response) => {
      const parts: Buffer[] = []
      // A stream of events has no end.
      if (String(response.headers['content-type']).startsWith('text/event-stream') && method !== 'HEAD') {
        response.on('error', () => undefined).destroy()
        return resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.alloc(0) })
      }
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }))
    })
    sent.on('error', reject)
    sent.end(body ?? undefined)
  })
}

/** Checks that apply to every reply. */
function check({ method, path, spec }: (typeof operations)[number], asked: FuzzRequest, answer: Answer): void {
  const { status, headers } = answer
  const isPacked = answer.body.length > 0
  const text = ((isPacked ? UNPACK[String(headers['content-encoding'])] : undefined)?.(answer.body) ?? answer.body).toString('utf8')
  expect(headers['x-injected']).toBeUndefined()
  expect(text).not.toMatch(/\n\s+at .+:\d+:\d+|node:internal|node_modules/)
  const isOwn = asked.method === method || (asked.method === 'HEAD' && method === 'GET')
  // The Iceberg REST specification has 501 for what a catalogue does not serve, and 204 for HEAD.
  const isCatalogue = path.startsWith('/lake/')
  if (isOwn)
    expect(
      [...Object.keys(spec.responses), ...(isCatalogue ? ['204'] : [])],
      `${status} is not documented: ${text.slice(0, 500)}`,
    ).toContain(String(status))
  else if (!description.paths[path][asked.method.toLowerCase()])
    expect([200, 204, 405, ...WHATEVER, ...(isCatalogue ? [501] : [])], text.slice(0, 500)).toContain(status)
  expect(isCatalogue && status === 501 ? 0 : status, text.slice(0, 500)).toBeLessThan(500)
  if (status === 405) expect(headers['allow']).toContain(method)
  const type = String(headers['content-type'] ?? '').split(';')[0] as string
  const response = resolved(spec.responses[status])
  if (asked.method === 'HEAD' || status === 204 || status === 304) {
    expect(answer.body.length).toBe(0)
    return
  }
  if (status >= 400 && !(type === 'text/html' && isOwn && response.content['text/html']))
    return (isCatalogue ? checkIcebergError : checkProblem)(answer, text)
  if (asked.headers['X-API-Key'] === key && spec['x-plan'] && !spec.tags.includes('account'))
    expect(headers['x-request-id']).toMatch(/^req_/)
  if (!isCatalogue && asked.isUnknown && spec.responses[400] && isOwn && method === 'GET')
    expect.fail(`an unknown parameter is answered with ${status}`)
  const isNarrowed = /[?&]fields=/.test(asked.target)
  if (isOwn && status < 300) checkContent(path, method, { status, type, text, documented: Object.keys(response.content), isNarrowed })
}

/** Problems that any request may have, whatever its method. */
const WHATEVER = [400, 401, 404, 413, 414, 415, 429]

function checkProblem({ status, headers }: Answer, text: string): void {
  expect(headers['content-type'], text).toBe('application/problem+json')
  const problem = JSON.parse(text) as Reply
  const isProblem = ajv.getSchema('api#/components/schemas/Problem') as (value: unknown) => boolean
  expect(isProblem(problem), text).toBe(true)
  expect([problem.status, problem.request_id]).toEqual([status, headers['x-request-id']])
  expect(headers['cache-control']).toBe('no-store')
}

function checkIcebergError({ status, headers }: Answer, text: string): void {
  if (headers['content-type'] === 'application/problem+json') return checkProblem({ status, headers, body: Buffer.alloc(0) }, text)
  expect(headers['content-type'], text).toBe('application/json')
  const error = JSON.parse(text) as Reply
  const isError = ajv.getSchema('api#/components/schemas/IcebergError') as (value: unknown) => boolean
  expect(isError(error), text).toBe(true)
  expect(error.error.code).toBe(status)
}

function checkContent(
  path: string,
  method: string,
  answer: {
    readonly status: number
    readonly type: string
    readonly text: string
    readonly documented: readonly string[]
    /** True for a request with `fields`, whose reply may lack what the schema requires. */
    readonly isNarrowed: boolean
  },
): void {
  const { status, type, text, documented, isNarrowed } = answer
  expect(documented).toContain(type)
  const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
  const at = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  const check = ajv.getSchema(`api#/${at}`)
  if (!check) throw new Error(`no schema at ${at}`)
  const parts = type === 'application/x-ndjson' ? text.split('\n').filter((line) => line !== '') : type.endsWith('json') ? [text] : []
  for (const part of parts) {
    check(JSON.parse(part))
    const errors = (check.errors ?? []).filter(({ keyword }) => !(isNarrowed && keyword === 'required'))
    expect(errors, part.slice(0, 500)).toEqual([])
  }
}

function resolved(response: Reply): Reply {
  const name = /#\/components\/responses\/(.+)$/.exec(response?.$ref ?? '')?.[1]
  return name === undefined ? (response ?? { content: {} }) : description.components.responses[name]
}
