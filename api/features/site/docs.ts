import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { SourceMode } from '../../../lake/system.ts'
import type { Language } from '../../kernel/language.ts'
import { escaped, ICON_LINK, modeNotice, pageSecurity } from './html.ts'

/** Version of the program that renders the description, from its package. */
const PACKAGE = join(dirname(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')), '../package.json')
const VERSION = (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { readonly version: string }).version

const START = readFileSync(new URL('./docs-start.js', import.meta.url), 'utf8')

/** The scripts of the page, by file name; each path contains the version. */
export const SCRIPTS = Object.freeze({
  'scalar.js': { version: VERSION, text: scalarScript },
  'start.js': { version: hash('sha256', START, 'hex').slice(0, 12), text: async () => START },
})

/** Returns the path of a script of the page. */
function scriptPath(name: keyof typeof SCRIPTS): string {
  return `/docs/assets/${SCRIPTS[name].version}/${name}`
}

/** Headers of the page: only our own scripts and requests. Its script creates its styles, which are therefore inline. */
export const DOCS_SECURITY = pageSecurity(
  "script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; form-action 'none'",
)

const WORDS = {
  es: {
    title: 'Documentación de la API',
    noScript: 'Esta página necesita JavaScript. Sin él, la descripción completa está en',
    or: 'y un resumen en',
  },
  en: {
    title: 'API documentation',
    noScript: 'This page needs JavaScript. Without it, the whole description is at',
    or: 'and a summary at',
  },
} as const

/** The interactive documentation. */
export function docsPage(language: Language, mode: SourceMode): string {
  const { title, noScript, or } = WORDS[language]
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">${ICON_LINK}<title>${escaped(title)}</title></head>
<body><noscript><h1>${title}</h1><p>${noScript} <a href="/openapi.json">/openapi.json</a> ${or} <a href="/llms.txt">/llms.txt</a>.</p></noscript>
${modeNotice(mode, language)}
<div id="reference"></div>
<script src="${scriptPath('scalar.js')}"></script>
<script type="module" src="${scriptPath('start.js')}"></script>
</body>
</html>
`
}

/** Returns the program that renders the description, read from its package in a separate thread. */
function scalarScript(): Promise<string> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./scalar-worker.ts', import.meta.url))
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the documentation has no script')))
  })
}
