// Writes a request in the languages of the documentation, for the server and for browsers.

/** A request to the API. */
export interface ApiRequest {
  readonly method: string
  /** The whole URL. */
  readonly url: string
  /** True if it needs a key, which the code reads from the variable KEY. */
  readonly hasKey: boolean
  /** The body and its media type; null if there is none. */
  readonly body: { readonly type: string; readonly text: string } | null
}

/** The languages, with their names for people. */
export const CODE_LANGUAGES = { curl: 'curl', python: 'Python', typescript: 'TypeScript', r: 'R' } as const
export type CodeLanguage = keyof typeof CODE_LANGUAGES

/** Returns the code of a request in each language. Nothing has to be installed except httr2 for R. */
export function requestCode(request: ApiRequest): Readonly<Record<CodeLanguage, string>> {
  return { curl: curl(request), python: python(request), typescript: typescript(request), r: r(request) }
}

const inQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
/** A literal that Python, TypeScript and R read alike. */
const literal = (text: string): string => JSON.stringify(text)

function curl({ method, url, hasKey, body }: ApiRequest): string {
  const parts = [
    ...(method === 'GET' || (method === 'POST' && body) ? [] : [`-X ${method}`]),
    ...(hasKey ? ['-H "X-API-Key: $KEY"'] : []),
    ...(body ? [`-H 'Content-Type: ${body.type}'`, `-d ${inQuotes(body.text)}`] : []),
  ]
  return ['curl', ...parts.map((part) => `${part} \\\n `), inQuotes(url)].join(' ')
}

function python({ method, url, hasKey, body }: ApiRequest): string {
  const headers = [...(hasKey ? ['"X-API-Key": os.environ["KEY"]'] : []), ...(body ? [`"Content-Type": ${literal(body.type)}`] : [])]
  const parts = [
    literal(url),
    ...(method === 'GET' ? [] : [`method=${literal(method)}`]),
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(body ? [`data=${literal(body.text)}.encode()`] : []),
  ]
  return `import json
${hasKey ? 'import os\n' : ''}import urllib.request

request = urllib.request.Request(
${parts.map((part) => `    ${part},`).join('\n')}
)
with urllib.request.urlopen(request) as response:
    reply = json.load(response)
print(reply)`
}

function typescript({ method, url, hasKey, body }: ApiRequest): string {
  const headers = [...(hasKey ? ["'X-API-Key': process.env.KEY ?? ''"] : []), ...(body ? [`'Content-Type': '${body.type}'`] : [])]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(body ? [`  body: ${literal(body.text)},`] : []),
  ]
  return `const response = await fetch(${literal(url)}${options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''})
if (!response.ok) throw new Error(await response.text())
console.log(await response.json())`
}

function r({ method, url, hasKey, body }: ApiRequest): string {
  const steps = [
    `request(${literal(url)})`,
    ...(method === 'GET' ? [] : [`req_method("${method}")`]),
    ...(hasKey ? ['req_headers(`X-API-Key` = Sys.getenv("KEY"))'] : []),
    ...(body ? [`req_body_raw(${literal(body.text)}, type = "${body.type}")`] : []),
    'req_perform()',
    'resp_body_json(simplifyVector = TRUE)',
  ]
  return `library(httr2)\n\nreply <- ${steps.join(' |>\n  ')}\nstr(reply, max.level = 1)`
}
