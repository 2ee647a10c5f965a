import { NOTHING_FOUND } from '../engine/answers/system-answers.ts'
import type { EndpointDocuments } from '../engine/replies/document-answer.ts'
import { cachedDocument } from '../engine/replies/documents.ts'
import type { ServiceState } from '../engine/state/state.ts'
import type { SystemWatch } from '../engine/state/system-watch.ts'
import type { DcatParts } from '../features/cards/dcat.ts'
import { DOCUMENTS } from '../features/cards/documents.ts'
import type { Endpoint, SystemView } from '../kernel/endpoint.ts'
import { essenceOf, type Format } from '../kernel/formats.ts'
import { remembered } from '../kernel/http/encodings.ts'
import { acceptedType } from '../kernel/http/representation.ts'

/** How long a document is fresh, in seconds: tables are polled once a minute. */
const FRESH_S = 60

/** Makes what finds the documents of endpoints. */
export function endpointDocuments(parts: {
  readonly state: ServiceState
  readonly watch: SystemWatch
  readonly endpoints: readonly Endpoint[]
  readonly link: SystemView['link']
  readonly baseUrl: () => string
  readonly catalogPublisher: string | null
  readonly supportContact: string | null
}): (endpoint: Endpoint) => EndpointDocuments | null {
  const { state, watch, endpoints, link, baseUrl, catalogPublisher, supportContact } = parts
  return ({ path }) => {
    const documents = DOCUMENTS.get(path)
    if (!documents) return null
    const choose = remembered((key) => {
      const [accept = '', ...formats] = (key ?? '').split('\n')
      // The formats are listed before documents: without a header, or on a tie, a format is preferred.
      const types = Object.fromEntries(
        [...formats.map((format) => essenceOf(format as Format)), ...documents.map(({ type }) => type)].map((type) => [type, type]),
      )
      const type = acceptedType(accept, types)
      return documents.some((one) => one.type === type) ? type : null
    })
    return {
      preferred: (accept, formats) => choose([accept ?? '', ...formats].join('\n')),
      async make(type, values) {
        const tables = new Map([...(await watch.tables.value())].map(([id, seen]) => [id, seen.about]))
        const system: SystemView = { ...state.system(), endpoints, tables, link, ...NOTHING_FOUND }
        const { begun_at } = state
        const base: DcatParts = { baseUrl: baseUrl(), publisher: catalogPublisher, contact: supportContact, begun_at }
        const text = documents.find((one) => one.type === type)?.make(system, values.own, base) ?? null
        return text === null ? null : cachedDocument({ text, content_type: contentType(type), fresh_s: FRESH_S })
      },
    }
  }
}

function contentType(type: string): string {
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}
