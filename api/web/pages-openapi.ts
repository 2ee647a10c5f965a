import { DEFAULT_PLANS } from '../access/plans.ts'
import type { Endpoint } from '../define/endpoint.ts'
import type { MethodPage } from '../define/method-page.ts'
import { PROBLEMS } from '../define/problems.ts'
import { LASTING, NOT_MODIFIED, operation, type Part, parametersPart, pathParameter, problemResponse, ref } from '../http/openapi-parts.ts'
import { changelogPage } from './changelog.ts'
import { apiCatalog, CATALOG_PATH, llmsText, ROBOTS_TEXT, securityText } from './discovery.ts'
import { docsPage, SCRIPTS } from './docs.ts'
import { ICON, PAGE_LANG } from './html.ts'
import { GUIDES, guideHtml, methodHtml, methodPages } from './method-page.ts'
import { plansPage } from './plans-page.ts'
import { problemPage } from './problem-page.ts'
import { startPage } from './start-page.ts'

/** Describes the pages, and the descriptions of the service for programs. */
export function pagePaths(endpoints: readonly Endpoint[], baseUrl: string): Part {
  return {
    '/problems/{code}': {
      get: {
        ...page('problem_by_code', 'What a problem means, for people', problemPage('not-found', 'es'), {
          400: problemResponse(['unknown-parameter', 'invalid-parameter', 'malformed-request']),
          404: ref('responses', '404'),
        }),
        parameters: [
          pathParameter('code', 'Code of the problem.', 'not-found', Object.keys(PROBLEMS)),
          ...parametersPart({ lang: PAGE_LANG }),
        ],
      },
    },
    '/': { get: page('start', 'Start page with current numbers and a form for a key', startPage('es', EXAMPLE)) },
    '/plans': { get: page('plans_page', 'Plans with prices, limits and what each includes, for people', plansPage('es', EXAMPLE_PLANS)) },
    '/docs': { get: page('docs', 'This description as an interactive page', docsPage('es', 'live')) },
    '/docs/assets/{version}/{name}': {
      get: {
        ...operation('docs_asset', 'A script of the interactive page', {
          200: { ...content('A script that never changes.', 'text/javascript', { type: 'string' }), headers: LASTING },
          304: NOT_MODIFIED,
          400: problemResponse(['unknown-parameter', 'malformed-request']),
          404: ref('responses', '404'),
        }),
        parameters: [
          pathParameter('version', 'Version of the script, as the page names it.', SCRIPTS['start.js'].version),
          pathParameter('name', 'Name of the script.', 'start.js', Object.keys(SCRIPTS)),
        ],
      },
    },
    ...methodPaths(endpoints),
    '/docs/guides/{name}': {
      get: {
        ...page('guide_by_name', 'A guide, for people', guideHtml(GUIDES.get('quick-start') as MethodPage, 'en'), {
          400: problemResponse(['unknown-parameter', 'invalid-parameter', 'malformed-request']),
          404: ref('responses', '404'),
        }),
        parameters: [
          pathParameter('name', 'Name of the guide.', 'quick-start', [...GUIDES.keys()]),
          ...parametersPart({ lang: PAGE_LANG }),
        ],
      },
    },
    '/changelog': { get: page('changelog', 'What changed for callers, and what will go', changelogPage([], 'es')) },
    '/llms.txt': {
      get: text('llms_txt', 'The service in one text, for language models', {
        type: 'text/plain',
        about: 'Markdown in the format of llmstxt.org.',
        // As long as the description itself: the beginning suffices.
        example: llmsText([], { baseUrl, plans: DEFAULT_PLANS, now: 0 }).split('\n- ')[0] as string,
      }),
    },
    '/robots.txt': {
      get: text('robots_txt', 'What search engines may read (RFC 9309)', {
        type: 'text/plain',
        about: 'Everything except data.',
        example: ROBOTS_TEXT,
      }),
    },
    '/favicon.ico': { get: text('icon', 'The icon, for browsers', { type: 'image/svg+xml', about: 'A drawing.', example: ICON }) },
    [CATALOG_PATH]: {
      get: operation('api_catalog', 'Links to all descriptions (RFC 9727)', {
        200: {
          ...content('A set of links (RFC 9264).', 'application/linkset+json', LINKSET, apiCatalog(endpoints.slice(0, 1), baseUrl)),
          headers: { ...LASTING, Link: ref('headers', 'Link') },
        },
        304: { ...NOT_MODIFIED, headers: { ...LASTING, Link: ref('headers', 'Link') } },
        400: BAD_QUERY,
      }),
    },
    '/.well-known/security.txt': {
      get: operation('security_txt', 'Contact for reports of vulnerabilities (RFC 9116)', {
        200: content(
          'The contact, and when this information expires.',
          'text/plain',
          { type: 'string' },
          securityText('mailto:security@example.org', { baseUrl, now: 0 }),
        ),
        400: BAD_QUERY,
        404: ref('responses', '404'),
      }),
    },
  }
}

/** The data of the first page in the description. */
const EXAMPLE = Object.freeze({ figures: [], plans: DEFAULT_PLANS, baseUrl: 'https://api.example.org', mode: 'live' as const })
const EXAMPLE_PLANS = Object.freeze({
  plans: DEFAULT_PLANS,
  upgradeUrl: null,
  supportContact: 'mailto:support@example.org',
  hasPath: () => true,
})
const BAD_QUERY = problemResponse(['unknown-parameter'])
const BAD_VALUE = problemResponse(['unknown-parameter', 'invalid-parameter'])

/** Describes the pages of methods, if there are any. */
function methodPaths(endpoints: readonly Endpoint[]): Part {
  const methods = methodPages(endpoints)
  const [[name, method] = []] = methods
  if (name === undefined || method === undefined) return {}
  return {
    '/docs/methods/{name}': {
      get: {
        ...page('method_by_name', 'How values are computed, for people', methodHtml(method, 'en'), {
          400: problemResponse(['unknown-parameter', 'invalid-parameter', 'malformed-request']),
          404: ref('responses', '404'),
        }),
        parameters: [pathParameter('name', 'Name of the page.', name, [...methods.keys()]), ...parametersPart({ lang: PAGE_LANG })],
      },
    },
  }
}

/** Describes a page for people, in the requested language. */
function page(operationId: string, summary: string, example: string, problems: Part = {}): Part {
  return {
    ...operation(operationId, summary, {
      200: { ...content('A page.', 'text/html', { type: 'string' }, example), headers: LASTING },
      304: NOT_MODIFIED,
      400: BAD_VALUE,
      ...problems,
    }),
    parameters: parametersPart({ lang: PAGE_LANG }),
  }
}

function text(operationId: string, summary: string, of: { readonly type: string; readonly about: string; readonly example: string }): Part {
  return operation(operationId, summary, {
    200: { ...content(of.about, of.type, { type: 'string' }, of.example), headers: LASTING },
    304: NOT_MODIFIED,
    400: BAD_QUERY,
  })
}

function content(
  description: string,
  type: string,
  schema: Part,
  example?: unknown,
): { readonly description: string; readonly content: Part } {
  return { description, content: { [type]: { schema, ...(example === undefined ? {} : { example }) } } }
}

const LINK = {
  type: 'object',
  required: ['href'],
  properties: {
    href: { type: 'string', format: 'uri', description: 'Where it leads.' },
    type: { type: 'string', description: 'Media type of what is there.' },
    title: { type: 'string', description: 'What it is.' },
    hreflang: { type: 'array', items: { type: 'string' }, description: 'Languages in which there is one.' },
  },
}
const LINKSET: Part = Object.freeze({
  type: 'object',
  required: ['linkset'],
  properties: {
    linkset: {
      type: 'array',
      items: {
        type: 'object',
        required: ['anchor'],
        properties: { anchor: { type: 'string', format: 'uri', description: 'What the links are about.' } },
        additionalProperties: { type: 'array', items: LINK },
      },
    },
  },
})
