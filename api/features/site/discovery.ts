import { PLANS } from '../../../lake/schema/dataset.ts'
import { type PlanTable, TIERS } from '../../auth/plans.ts'
import { listOfIds, requestOf } from '../../engine/request/example-request.ts'
import { type Endpoint, pathParams } from '../../kernel/endpoint.ts'
import { essenceOf, FORMATS } from '../../kernel/formats.ts'

/** The profile of a catalogue of APIs (RFC 9727). */
const CATALOG_PROFILE = 'https://www.rfc-editor.org/info/rfc9727'
export const CATALOG_PATH = '/.well-known/api-catalog'
export const CATALOG_TYPE = `application/linkset+json; profile="${CATALOG_PROFILE}"`

/** Returns the catalogue's own Link header. */
export function catalogLinks(baseUrl: string): string[] {
  return [`<${baseUrl}${CATALOG_PATH}>; rel="api-catalog"; type="application/linkset+json"`, `<${CATALOG_PROFILE}>; rel="profile"`]
}

/**
 * Returns the catalogue: the endpoints without path parameters, and the documents that describe all endpoints (RFC 9264, RFC
 * 8631).
 */
export function apiCatalog(endpoints: readonly Endpoint[], baseUrl: string): object {
  const html = (path: string, title: string) => ({ href: `${baseUrl}${path}`, type: 'text/html', title, hreflang: ['es', 'en'] })
  return {
    linkset: [
      {
        anchor: `${baseUrl}${CATALOG_PATH}`,
        item: endpoints
          .filter(({ path }) => pathParams(path).length === 0)
          .map(({ path, summary }) => ({ href: `${baseUrl}${path}`, type: essenceOf('json'), title: summary })),
      },
      {
        anchor: `${baseUrl}/api/`,
        'service-desc': [{ href: `${baseUrl}/openapi.json`, type: essenceOf('json'), title: 'OpenAPI 3.1' }],
        'service-doc': [
          html('/docs', 'Documentation'),
          html('/plans', 'Plans and prices'),
          html('/changelog', 'Changes'),
          { href: `${baseUrl}/llms.txt`, type: 'text/plain', title: 'For language models' },
        ],
        'service-meta': [{ href: `${baseUrl}/api/plans`, type: essenceOf('json'), title: 'Plans and limits' }],
        status: [
          { href: `${baseUrl}/status?format=json`, type: essenceOf('json'), title: 'State of the service' },
          html('/status', 'State of the service'),
        ],
        license: [{ href: `${baseUrl}/api/sources`, type: essenceOf('json'), title: 'Sources and their licences' }],
      },
    ],
  }
}

/**
 * Describes the service in one text for language models (llmstxt.org): the general rules, then every endpoint with a working
 * request. `now` (ms) sets the day.
 */
export function llmsText(
  endpoints: readonly Endpoint[],
  { baseUrl, plans, now }: { readonly baseUrl: string; readonly plans: PlanTable; readonly now: number },
): string {
  const byDomain = Map.groupBy(endpoints, ({ domain }) => domain)
  const link = (name: string, path: string, notes: string): string => `- [${name}](${baseUrl}${path}): ${notes}`
  const limits = TIERS.map((tier) => `${tier} ${plans[tier].minute} a minute and ${plans[tier].day} a day`).join('; ')
  const representations = FORMATS.map(
    (format) => `${format} (${essenceOf(format)}, ${PLANS.find((plan) => plans[plan].formats.includes(format))})`,
  ).join(', ')
  const sections = [...byDomain].map(
    ([domain, list]) =>
      `## Data: ${domain}\n\n${list.map((one) => link(one.path, requestOf(one, {}, now), notesOf(one, endpoints))).join('\n')}`,
  )
  return `# Traffic Intelligence API

> Transport data of Spain, live and historical, over HTTP: GET a path, get JSON. Every path, parameter and field is described in ${baseUrl}/openapi.json.

- Keys: send one in the header X-API-Key, never in the URL. POST ${baseUrl}/api/keys with the JSON {"email": "name@example.org"} returns a key, shown once. Paths of the plan FREE also answer without a key, a few requests a minute.
- Plans, lowest first: ${PLANS.join(', ')}. Each path below names the lowest sufficient one. Requests: ${limits} (ANONYMOUS: without a key, by address).
- Over a limit the reply is 429 with Retry-After in seconds. Errors are application/problem+json (RFC 9457): read code, detail and errors[], which name the parameter and what is allowed.
- Representations, by the parameter format or the Accept header, with the lowest sufficient plan: ${representations}.
- Lists are {total, updated_at, <list>, next_cursor?, meta}. Next page: the same request with cursor=<next_cursor>. Parameters of lists: limit, cursor, fields, sort, lang. An unknown parameter is refused, with a suggestion.
- A path with {id} returns one thing. The list named with it has the ids; ids of short-lived things, such as in the examples here, may have expired.
- Instants are UTC (ISO 8601 with Z); a plain date is a day in Madrid. Positions are WGS84: lat, lon; bbox is west,south,east,north. Units are in names or in the description of a field. Unknown values are null, never 0.
- Assistants get the same data over MCP: POST ${baseUrl}/mcp (streamable HTTP), with the key in the header X-API-Key.
- meta.stale is true if data is late. meta.sources has the licence and attribution of every source; name them where you show the data. meta.source_mode is simulated if the data is made up.
- ETag and If-None-Match save the transfer of unchanged data.

${sections.join('\n\n')}

## Documents

${[
  link('OpenAPI', '/openapi.json', 'every path, parameter, field and error, with examples'),
  link('Plans', '/api/plans', 'prices, limits and what each plan contains; for people at /plans'),
  link('Changes', '/changelog', 'what was added, changed or will go'),
  link('Status', '/status?format=json', 'current state of the service and each feed, and availability of each group of paths this month'),
].join('\n')}

## Optional

${[link('Documentation', '/docs', 'guides, and the description as pages'), link('Catalogue', CATALOG_PATH, 'links to all of this (RFC 9727)')].join('\n')}
`
}

function notesOf(endpoint: Endpoint, endpoints: readonly Endpoint[]): string {
  const { summary, plan, params } = endpoint
  const names = Object.entries(params).flatMap(([name, one]) => (one.kind === 'group' ? Object.keys(one.members) : [name]))
  const from = listOfIds(endpoint, endpoints)
  const ids = from ? ` ${from.parameter}: from ${from.list.path}.` : ''
  return `${summary}. ${plan}.${names.length === 0 ? '' : ` Parameters: ${names.join(', ')}.`}${ids}`
}

const DAY_MS = 86_400_000
/** Validity of security.txt, in days: under the year that RFC 9116 recommends. */
const EXPIRES_DAYS = 180

/** Returns security.txt (RFC 9116); `now` (ms) sets the day. */
export function securityText(contact: string, { baseUrl, now }: { readonly baseUrl: string; readonly now: number }): string {
  const expires = new Date((Math.floor(now / DAY_MS) + EXPIRES_DAYS) * DAY_MS).toISOString().replace('.000Z', 'Z')
  return `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: es, en\nCanonical: ${baseUrl}/.well-known/security.txt\n`
}

/** Search engines may read pages and descriptions. Data would cost them a request each (RFC 9309). */
export const ROBOTS_TEXT = 'User-agent: *\nDisallow: /api/\nDisallow: /account\n'
