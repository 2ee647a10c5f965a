// Shows the description at /docs. Runs in the browser, beside Scalar's own script.

/** Hidden snippet languages, and hidden clients of the others: curl, Python and JavaScript stay. */
const HIDDEN = {
  ...Object.fromEntries(
    ['c', 'clojure', 'csharp', 'dart', 'fsharp', 'go', 'http', 'java', 'julia', 'kotlin', 'node', 'objc', 'ocaml', 'php', 'powershell']
      .concat(['r', 'ruby', 'rust', 'swift'])
      .map((name) => [name, true]),
  ),
  shell: ['wget', 'httpie'],
  js: ['axios', 'ofetch', 'jquery', 'xhr'],
  python: ['httpx_sync', 'httpx_async', 'aiohttp'],
}

/** Requests of lists with current ids of short-lived things, by their example id. */
const LISTS = new Map()

/** Adapts the description to Scalar. */
function prepared(description) {
  // All its operations are also shown under their domains.
  for (const tag of description.tags) if (tag.name === 'data') tag['x-scalar-ignore'] = true
  for (const operations of Object.values(description.paths))
    for (const operation of Object.values(operations)) {
      for (const parameter of operation.parameters ?? []) {
        if (parameter['x-example-id-from']) LISTS.set(parameter.example, parameter['x-example-id-from'])
        setExample(parameter, operation['x-example-request'])
      }
      // Scalar treats application/geo+json as application/json and shows the last. The preferred one is first, so it is moved.
      for (const { content } of Object.values(operation.responses)) {
        const preferred = Object.keys(content ?? {}).find((type) => type.endsWith('json'))
        if (!preferred) continue
        const shown = content[preferred]
        delete content[preferred]
        content[preferred] = shown
      }
    }
  return description
}

/** Enables only the parameters of the example request, as some parameters with an example exclude each other. */
function setExample(parameter, request) {
  if (parameter.in !== 'query' || parameter.required) return
  const asked = new URL(request ?? '/', location.origin).searchParams
  const { example, schema } = parameter
  const value = example ?? parameter['x-example'] ?? schema.default ?? ''
  delete parameter.example
  parameter.examples = { default: { value, 'x-disabled': !asked.has(parameter.name) } }
}

/** Replaces an example id by the first current id of its list, using the caller's key if there is one. */
async function askOfNow({ request, requestBuilder }) {
  const { variables } = requestBuilder.path
  if (!request.headers.get('X-API-Key')) requestBuilder.security = []
  for (const [name, value] of Object.entries(variables)) {
    const list = LISTS.get(value)
    if (list === undefined) continue
    const key = request.headers.get('X-API-Key')
    const headers = { Accept: 'application/json', ...(key ? { 'X-API-Key': key } : {}) }
    const response = await fetch(`${list}${list.includes('?') ? '&' : '?'}limit=1&fields=${name}`, { headers })
    if (!response.ok) continue
    const [first] = Object.values(await response.json()).find(Array.isArray) ?? []
    if (first) variables[name] = first[name]
  }
}

const CONFIGURATION = {
  onBeforeRequest: askOfNow,
  // Requests and scripts go only to the page's own origin.
  servers: [{ url: location.origin }],
  localization: { locale: document.documentElement.lang },
  authentication: { preferredSecurityScheme: 'ApiKey' },
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  hiddenClients: HIDDEN,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}

const response = await fetch('/openapi.json')
const description = await response.json()
if (response.ok) Scalar.createApiReference('#reference', { content: prepared(description), ...CONFIGURATION })
else document.querySelector('#reference').textContent = `${description.title}: ${description.detail}`
