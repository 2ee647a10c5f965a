import { endpoints } from '../../api/endpoints/catalog.ts'
import { allParams } from '../../api/engine/request/request.ts'
import { type Endpoint, pathParams } from '../../api/kernel/endpoint.ts'
import { type Fields, isNested } from '../../api/kernel/fields.ts'
import { isLocated } from '../../api/kernel/formats.ts'
import { INSTANT_PATTERN } from '../../api/kernel/params/params-time.ts'
import { IS_DEEP } from '../helpers/tier.ts'

/**
 * Endpoints that together have every feature that the engine treats in its own way: laws of the engine run over them by default,
 * over all endpoints in the deep tests. Laws of declarations run over all endpoints always.
 */
export const representatives: readonly Endpoint[] = IS_DEEP ? endpoints : cover(endpoints)

/** The endpoint that adds most features, repeated until none is left; between equals the order of the catalogue decides. */
function cover(all: readonly Endpoint[]): readonly Endpoint[] {
  const features = new Map(all.map((endpoint) => [endpoint, featuresOf(endpoint)]))
  const seen = new Set<string>()
  const chosen = new Set<Endpoint>()
  const gain = (endpoint: Endpoint): number => (features.get(endpoint) ?? []).filter((feature) => !seen.has(feature)).length
  for (;;) {
    const [best] = all.toSorted((a, b) => gain(b) - gain(a))
    if (!best || gain(best) === 0) return all.filter((endpoint) => chosen.has(endpoint))
    chosen.add(best)
    for (const feature of features.get(best) ?? []) seen.add(feature)
  }
}

/** The declaration's features that the engine reads: each is a text. */
function featuresOf(endpoint: Endpoint): readonly string[] {
  const { read, returns, plan } = endpoint
  const parameters = [...allParams(endpoint)].map(([name, one]) => {
    const { enum: values, pattern, type, format } = one.schema as Readonly<Record<string, unknown>>
    const kind = values ? 'enum' : pattern === INSTANT_PATTERN ? 'instant' : pattern ? 'pattern' : `${String(type)} ${String(format)}`
    return `parameter ${kind} ${one.list ? 'list' : 'one'} ${one.clockGranularity_s === undefined ? '' : 'clock'} ${pathParams(endpoint.path).includes(name) ? 'path' : 'query'}`
  })
  const members = Object.keys(read).filter((name) => name !== 'kind')
  return [
    ...members.map((name) => `read ${read.kind} ${name}`),
    ...Object.keys(returns).map((name) => `returns ${returns.kind} ${name}`),
    ...Object.keys(endpoint).map((name) => `declares ${name}`),
    ...parameters,
    ...kindsOf(returns.record.fields).map((kind) => `field ${kind}`),
    `${read.kind} ${returns.kind} ${plan}`,
    `geojson ${read.kind} ${isLocated(returns.record.fields)} ${String(returns.prefers)}`,
  ]
}

function kindsOf(fields: Fields): string[] {
  return Object.values(fields).flatMap((field) => (isNested(field) ? [`nested ${field.kind}`, ...kindsOf(field.fields)] : [field.kind]))
}
