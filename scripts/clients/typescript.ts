import type { Endpoint } from '../../api/define/endpoint.ts'

/** Types of the description, which openapi-typescript writes beside the program. */
const SCHEMA = './schema.d.ts'

/** A request for data that a generated client makes. */
export interface ClientRequest {
  /** Its `operationId`. */
  readonly id: string
  /** Its first tag, by which clients group operations. */
  readonly tag: string
  /** Its path in the description. */
  readonly template: string
  /** Its path and query. */
  readonly path: string
  readonly returns: Endpoint['returns']
}

interface ParamSchema {
  readonly type?: string
  readonly items?: ParamSchema
}

/** The parts of the description that the program needs. */
export interface Description {
  readonly paths: Readonly<Record<string, { readonly get: { readonly parameters?: readonly DescribedParam[] } }>>
}

interface DescribedParam {
  readonly name: string
  readonly in: string
  readonly schema: ParamSchema
}

/** A program that makes the requests by openapi-fetch: it compiles only if the types have the members that replies have. */
export function typescriptProgram(requests: readonly ClientRequest[], description: Description): string {
  return `import createClient from 'openapi-fetch'
import type { paths } from '${SCHEMA}'

const client = createClient<paths, 'application/json'>({
  baseUrl: process.env['API'] ?? '',
  headers: { 'X-API-Key': process.env['KEY'] ?? '', Accept: 'application/json' },
})
let failed = 0
async function ask<T>(what: string, asked: Promise<{ data?: T; error?: unknown }>, members: (data: T) => unknown): Promise<void> {
  const { data, error } = await asked
  if (error === undefined && data !== undefined && members(data) !== undefined) return
  failed += 1
  console.log('FAILED typescript', what, JSON.stringify(error ?? null).slice(0, 300))
}

${requests.map((request) => askOf(request, description)).join('\n')}
console.log(\`typescript: \${${requests.length} - failed} of ${requests.length} replies parsed\`)
process.exitCode = failed > 0 ? 1 : 0
`
}

function askOf({ template, path, returns }: ClientRequest, { paths }: Description): string {
  const url = new URL(path, 'http://localhost')
  const parts = url.pathname.split('/')
  const given = new Map(url.searchParams)
  for (const [at, part] of template.split('/').entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name !== undefined) given.set(name, decodeURIComponent(parts[at] ?? ''))
  }
  const params: Record<string, Record<string, unknown>> = {}
  for (const { name, in: place, schema } of paths[template]?.get.parameters ?? []) {
    const text = given.get(name)
    if (text !== undefined) params[place] = { ...params[place], [name]: valueOf(schema, text) }
  }
  const member = returns.kind === 'one' ? 'meta' : returns.name
  return `await ask(${JSON.stringify(path)}, client.GET(${JSON.stringify(template)}, { params: ${JSON.stringify(params)} }), (data) => data.${member})`
}

/** The value of a text, converted to its declared type. */
function valueOf({ type, items }: ParamSchema, text: string): unknown {
  if (type === 'array') return text.split(',').map((part) => valueOf(items ?? {}, part))
  if (type === 'integer' || type === 'number') return Number(text)
  return type === 'boolean' ? text === 'true' : text
}
