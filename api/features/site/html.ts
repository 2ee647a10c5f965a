import { hash } from 'node:crypto'
import { isoInstant, MADRID } from '../../../lake/schema/time.ts'
import type { SourceMode } from '../../../lake/system.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { oneOf } from '../../kernel/params/params.ts'

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}' +
  'form{display:inline}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .6rem .4rem 0;vertical-align:top}' +
  'code{overflow-wrap:anywhere}input,button{font:inherit;padding:.3rem .6rem}section{margin:2rem 0}' +
  'nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;list-style:none;padding:0}article{margin:1.5rem 0}h3{margin-bottom:0}h3+p{margin-top:0}' +
  '.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:1rem}dd{margin:0}dd strong{display:block;font-size:1.8rem}' +
  '.scroll{overflow-x:auto;margin:1rem 0}caption{text-align:left;font-weight:bold;padding:.4rem 0}.wide{font-size:.85rem}.wide td,.wide code,.lines th{white-space:nowrap}.wide thead th{vertical-align:bottom}.num{text-align:right}.small{font-size:.85rem}.small code,.small button{white-space:nowrap;overflow-wrap:normal}.small input{max-width:4rem}' +
  '.ok{color:light-dark(#1a7f37,#4ade80)}.warn{color:light-dark(#8a5a00,#facc15)}.bad{color:light-dark(#c11f2b,#f98080)}' +
  '.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:1rem 1.5rem}.cards section{margin:0}.cards ul{padding-left:1.2rem}.cards li{margin-bottom:.4rem}.plans th,.plans td{padding-right:1rem}' +
  '.chart{margin:.5rem 0}.chart svg{display:block;width:100%;height:auto}.chart figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;font-size:.85rem}.served{fill:light-dark(#0b5cad,#6cb2ff);color:light-dark(#0b5cad,#6cb2ff)}.refused{fill:light-dark(#c11f2b,#f98080);color:light-dark(#c11f2b,#f98080)}.axis{stroke:GrayText}' +
  'pre{overflow-x:auto;padding:.8rem;border:1px solid GrayText;border-radius:.3rem}'

/** Features of the user's device that browsers would grant by default or on request; pages use none. */
const NOTHING_OF_THE_DEVICE = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'payment', 'usb', 'serial']
  .map((feature) => `${feature}=()`)
  .join(', ')

/** Headers that isolate pages; `sources` are the directives for what a page loads. */
export function pageSecurity(sources: string): Readonly<Record<string, string>> {
  return Object.freeze({
    'Content-Security-Policy': `default-src 'none'; ${sources}; base-uri 'none'; frame-ancestors 'none'`,
    // Sends no referrer to other sites. `no-referrer` would make browsers send our own forms with `Origin: null`, as anybody's.
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': NOTHING_OF_THE_DEVICE,
    'Cross-Origin-Opener-Policy': 'same-origin',
  })
}

export const HTML = 'text/html; charset=utf-8'

/** Headers of every page of `htmlPage`: no foreign content, script or frame, and no referrer to other sites. */
export const PAGE_SECURITY = pageSecurity(`style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; form-action 'self'; img-src data:`)

/** Our icon (SVG): a road to the horizon, in colours that are visible on light and dark tabs. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5cad"/>' +
  '<path d="M14 6h4l8 20H6z" fill="#fff"/><path d="M15.6 9h.8l.4 4h-1.6zm-.6 6h2l.4 4h-2.8zm-.6 6h3.2l.4 5h-4z" fill="#0b5cad"/></svg>'

/** The icon within every page, so that browsers need not request it. */
export const ICON_LINK = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">`

/** The parameter that chooses the language of a page. */
export const PAGE_LANG = oneOf('Language of texts. By default what Accept-Language prefers, else Spanish.', ['es', 'en'])

/** Renders a page in the common frame. `title` is text, `body` HTML, and `after` HTML outside the main content. */
export function htmlPage(
  language: Language,
  { title, body, after = '' }: { readonly title: string; readonly body: string; readonly after?: string },
): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${ICON_LINK}<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1>
${body}
</main>${after}</body>
</html>
`
}

const MODE_NOTICES = {
  live: { es: '', en: '' },
  replay: {
    es: 'Datos de capturas grabadas: son reales, pero del pasado. Las horas son de Madrid.',
    en: 'Data of recorded captures: real, but of the past. Times are those of Madrid.',
  },
  simulated: {
    es: 'Datos simulados: este servicio muestra datos inventados, no reales. Las horas son de Madrid.',
    en: 'Simulated data: what this service shows is made up, not real. Times are those of Madrid.',
  },
} as const satisfies Readonly<Record<SourceMode, Readonly<Record<Language, string>>>>

/** Returns the notice that a page's data is not live data of the publishers; empty for live data. */
export function modeNotice(mode: SourceMode, language: Language): string {
  const text = MODE_NOTICES[mode][language]
  return text === '' ? '' : `<p role="note" class="warn"><strong>${text}</strong></p>`
}

const WAYS = inBoth({
  name: ['Documentación', 'Documentation'],
  start: ['Inicio', 'Start'],
  docs: ['Documentación', 'Documentation'],
  plans: ['Planes', 'Plans'],
  changes: ['Cambios', 'Changes'],
  status: ['Estado', 'Status'],
  keys: ['Claves', 'Keys'],
  other: ['English', 'Español'],
})

/** Returns the links to the other pages, and to the page in the other language if `lang` selects it. */
export function pageLinks(language: Language, { hasBoth = true }: { readonly hasBoth?: boolean } = {}): string {
  const { name, start, docs, plans, changes, status, keys, other } = WAYS[language]
  const to = language === 'es' ? 'en' : 'es'
  const switching = hasBoth ? `<li><a href="?lang=${to}" hreflang="${to}" lang="${to}">${other}</a></li>` : ''
  return `<nav aria-label="${name}"><ul><li><a href="/">${start}</a></li><li><a href="/docs">${docs}</a></li><li><a href="/plans">${plans}</a></li><li><a href="/changelog">${changes}</a></li><li><a href="/status">${status}</a></li><li><a href="/account">${keys}</a></li>${switching}</ul></nav>`
}

/** A table for `dataTable`; its texts are HTML except `name`. */
interface DataTable {
  /** What it shows, for screen readers; its caption if `isCaptioned`. */
  readonly name: string
  readonly classes: string
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** How many of the last columns are numbers. */
  readonly numbers?: number
  /** True if the table has a caption, and each row begins with its heading. */
  readonly isCaptioned?: boolean
}

/** Renders a table that scrolls on narrow screens, also by keyboard. */
export function dataTable({ name, classes, heads, rows, numbers = 0, isCaptioned = false }: DataTable): string {
  const num = (at: number): string => (at >= heads.length - numbers ? ' class="num"' : '')
  const head = heads.map((one, at) => `<th scope="col"${num(at)}>${one}</th>`).join('')
  const cell = (html: string, at: number): string =>
    isCaptioned && at === 0 ? `<th scope="row">${html}</th>` : `<td${num(at)}>${html}</td>`
  const body = rows.map((cells) => `<tr>${cells.map(cell).join('')}</tr>`).join('\n')
  const [label, text] = [` aria-label="${escaped(name)}"`, isCaptioned ? `<caption>${escaped(name)}</caption>\n` : '']
  return `<div class="scroll" role="region"${label} tabindex="0"><table class="${classes}"${isCaptioned ? '' : label}>${text}<thead><tr>${head}</tr></thead>
<tbody>${body}</tbody></table></div>`
}

const DAY_AND_MINUTE = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const

/** Formats an instant (ms) as date and time in Madrid, or with other parts. */
export function moment(at: number, language: Language, parts: Intl.DateTimeFormatOptions = DAY_AND_MINUTE): string {
  const format = new Intl.DateTimeFormat(language, { ...parts, timeZone: MADRID, hourCycle: 'h23' })
  return `<time datetime="${isoInstant(at)}">${format.format(at)}</time>`
}

/** Returns a link to a contact URI. */
export function contactLink(uri: string): string {
  return `<a href="${escaped(uri)}">${escaped(uri.replace(/^(mailto|tel):/, ''))}</a>`
}

/** Escapes a text for HTML elements and attributes. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
}
