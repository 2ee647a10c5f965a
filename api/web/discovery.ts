import { PLANS } from '../../lake/schema/dataset.ts'
import { type PlanTable, TIERS } from '../access/plans.ts'
import { type Endpoint, pathParams } from '../define/endpoint.ts'
import { essenceOf, FORMATS } from '../define/formats.ts'
import { listOfIds, requestOf } from '../http/example-request.ts'

/** The profile of a catalogue of APIs (RFC 9727). */
const CATALOG_PROFILE = 'https://www.rfc-editor.org/info/rfc9727'
export const CATALOG_PATH = '/.well-known/api-catalog'
export const CATALOG_TYPE = `application/linkset+json; profile="${CATALOG_PROFILE}"`

/** What the catalogue says of itself in its Link header. */
export function catalogLinks(baseUrl: string): string[] {
  return [`<${baseUrl}${CATALOG_PATH}>; rel="api-catalog"; type="application/linkset+json"`, `<${CATALOG_PROFILE}>; rel="profile"`]
}

/** The catalogue: the endpoints that a URL can name, and the documents that describe all of them (RFC 9264, RFC 8631). */
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
 * The service in one text for language models (llmstxt.org): what holds everywhere, then every endpoint with a request that answers. `now` in
 * ms, of which the day counts.
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

- Keys: send one in the header X-API-Key, never in the URL. POST ${baseUrl}/api/keys with the JSON {"email": "name@example.org"} answers with a key, shown once. Paths of the plan FREE answer without a key, too, a few requests a minute.
- Plans, lowest first: ${PLANS.join(', ')}. Each path below names the least one. Requests: ${limits} (ANONYMOUS: without a key, by address).
- Over a limit the answer is 429 with Retry-After in seconds. Errors are application/problem+json (RFC 9457): read code, detail and errors[], which name the parameter and what is allowed.
- Representations, by the parameter format or the Accept header, with the least plan: ${representations}.
- Lists are {total, updated_at, <list>, next_cursor?, meta}. Next page: the same request with cursor=<next_cursor>. Parameters of lists: limit, cursor, fields, sort, lang. An unknown parameter is refused with the name that was probably meant.
- A path with {id} tells of one thing: the list that is named with it has the ids. Those of what comes and goes, such as in the examples here, may be gone.
- Instants are UTC (ISO 8601 with Z); a plain date is a day of Madrid. Positions are WGS84: lat, lon; bbox is west,south,east,north. Units are in names or in the description of a field. What is not known is null, never 0.
- Assistants ask the same over MCP: POST ${baseUrl}/mcp (streamable HTTP), with the key in the header X-API-Key.
- meta.stale says that data is late; meta.sources has the licence and attribution of every source, which whoever shows the data has to name; meta.source_mode is simulated where the data is made up.
- ETag and If-None-Match save the transfer of what has not changed.

${sections.join('\n\n')}

## Documents

${[
  link('OpenAPI', '/openapi.json', 'every path, parameter, field and error, with examples'),
  link('Plans', '/api/plans', 'prices, limits and what each plan contains; for people at /plans'),
  link('Changes', '/changelog', 'what was added, changed or will go'),
  link('Status', '/status?format=json', 'how the service and each feed are now, and how available each group of paths was this month'),
].join('\n')}

## Optional

${[link('Documentation', '/docs', 'the description as an interactive page'), link('Catalogue', CATALOG_PATH, 'links to all of this (RFC 9727)')].join('\n')}
`
}

function notesOf(endpoint: Endpoint, endpoints: readonly Endpoint[]): string {
  const { summary, plan, params, deprecated } = endpoint
  const names = Object.entries(params).flatMap(([name, one]) => (one.kind === 'group' ? Object.keys(one.members) : [name]))
  const going = deprecated ? ` Deprecated: answers until ${deprecated.sunset}.` : ''
  const from = listOfIds(endpoint, endpoints)
  const ids = from ? ` ${from.parameter}: from ${from.list.path}.` : ''
  return `${summary}. ${plan}.${names.length === 0 ? '' : ` Parameters: ${names.join(', ')}.`}${ids}${going}`
}

const DAY_MS = 86_400_000
/** How long what is said to security researchers holds: under the year that RFC 9116 recommends. */
const EXPIRES_DAYS = 180

/** Whom to tell of weaknesses (RFC 9116); `now` in ms, of which the day counts. */
export function securityText(contact: string, { baseUrl, now }: { readonly baseUrl: string; readonly now: number }): string {
  const expires = new Date((Math.floor(now / DAY_MS) + EXPIRES_DAYS) * DAY_MS).toISOString().replace('.000Z', 'Z')
  return `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: es, en\nCanonical: ${baseUrl}/.well-known/security.txt\n`
}

/** What search engines may read: pages and descriptions, not the data, which they would pay for request by request (RFC 9309). */
export const ROBOTS_TEXT = 'User-agent: *\nDisallow: /api/\nDisallow: /account\n'
