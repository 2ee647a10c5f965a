import { isoInstant, MADRID } from '../../../lake/schema/time.ts'
import type { SourceMode } from '../../../lake/system.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { oneOf } from '../../kernel/params/params.ts'
import { assetPath } from './assets.ts'

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

/** What pages load: files, data and forms of our own origin only. */
const OWN_SOURCES = ['script-src', 'style-src', 'font-src', 'connect-src', 'form-action'].map((name) => `${name} 'self'`).join('; ')

/** Headers of every page of `htmlPage`: no foreign content, script or frame, and no referrer to other sites. */
export const PAGE_SECURITY = pageSecurity(`${OWN_SOURCES}; img-src 'self' data:`)

/** Headers of pages with a map, which runs a worker. */
export const MAP_SECURITY = pageSecurity(`${OWN_SOURCES}; img-src 'self' data:; worker-src 'self'`)

/** Our icon (SVG): a road to the horizon, in colours that are visible on light and dark tabs. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b57c4"/>' +
  '<path d="M14 6h4l8 20H6z" fill="#fff"/><path d="M15.6 9h.8l.4 4h-1.6zm-.6 6h2l.4 4h-2.8zm-.6 6h3.2l.4 5h-4z" fill="#0b57c4"/></svg>'

/** The icon within every page, so that browsers need not request it, and the one of phones' home screens. */
export const ICON_LINK = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}"><link rel="apple-touch-icon" href="${assetPath('icon-180.png')}">`

/** The colour of the browser's bars: the paper of `style.css`. */
const THEME_COLORS = [['light', '#ffffff'] as const, ['dark', '#0c131a'] as const]
  .map(([look, colour]) => `<meta name="theme-color" content="${colour}" media="(prefers-color-scheme: ${look})">`)
  .join('')

/** The parameter that chooses the language of a page. */
export const PAGE_LANG = oneOf('Language of texts. By default what Accept-Language prefers, else Spanish.', ['es', 'en'])

/** A page in the common frame. Titles are texts, `body` is HTML. */
interface Page {
  readonly title: string
  readonly body: string
  /** The page's own heading, as HTML within `body`; false by default, when the title is the heading. */
  readonly hasHeading?: boolean
  /** One sentence for search engines and social networks. */
  readonly about: string
  /** The path that the header marks as current. */
  readonly path?: string
  /** True if the page is as wide as its header, for tables and cards. */
  readonly isWide?: boolean
  /** True if the content fills the window below the header, without footer. */
  readonly isFull?: boolean
  /** Where its data comes from; a notice says so unless it is live. */
  readonly mode?: SourceMode
  /** Its own modules and stylesheets, by file name. */
  readonly modules?: readonly string[]
  /** What its modules import and is worth loading at the same time. */
  readonly preloads?: readonly string[]
  readonly styles?: readonly string[]
  /** Its address without query, for search engines and social networks; without one it is not meant for them. */
  readonly url?: string
  /** False if `?lang` does not change its language. */
  readonly hasBoth?: boolean
}

/** Renders a page in the common frame: header, notice about the data, content and footer. */
export function htmlPage(language: Language, page: Page): string {
  const {
    title,
    body,
    hasHeading = false,
    about,
    path = '',
    isWide = false,
    isFull = false,
    mode = 'live',
    modules = [],
    preloads = [],
    styles = [],
  } = page
  const css = ['style.css', 'parts.css', ...styles].map((name) => `<link rel="stylesheet" href="${assetPath(name)}">`)
  const early = preloads.map((name) => `<link rel="modulepreload" href="${assetPath(name)}">`)
  const scripts = ['page.js', ...modules].map((name) => `<script type="module" src="${assetPath(name)}"></script>`)
  const font = `<link rel="preload" href="${assetPath('overpass.woff2')}" as="font" type="font/woff2" crossorigin>`
  const social = page.url === undefined ? '' : socialCard({ title, about, language, url: page.url, hasBoth: page.hasBoth ?? true })
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${ICON_LINK}${THEME_COLORS}<title>${escaped(title)}</title><meta name="description" content="${escaped(about)}">${social}
${font}${css.join('')}${early.join('')}${scripts.join('')}</head>
<body><a class="skip" href="#main">${WAYS[language].skip}</a>${header(language, path, page.hasBoth ?? true)}${modeNotice(mode, language)}
<main id="main"${isFull ? ' class="full"' : isWide ? ' class="wide"' : ''}>${hasHeading ? '' : `<h1>${escaped(title)}</h1>`}
${body}
</main>${isFull ? '' : footer(language)}</body>
</html>
`
}

/** Renders the addresses of a page in each language, and what social networks and chats show of a link to it. */
function socialCard(page: Required<Pick<Page, 'title' | 'about' | 'url' | 'hasBoth'>> & { readonly language: Language }): string {
  const { title, about, language, url, hasBoth } = page
  const canonical = hasBoth ? `${url}?lang=${language}` : url
  const link = (rel: string, href: string, more = ''): string => `<link rel="${rel}"${more} href="${escaped(href)}">`
  const alternates = ['es', 'en'].map((lang) => link('alternate', `${url}?lang=${lang}`, ` hreflang="${lang}"`))
  const links = `${link('canonical', canonical)}${hasBoth ? `${alternates.join('')}${link('alternate', url, ' hreflang="x-default"')}` : ''}`
  const properties = {
    'og:type': 'website',
    'og:site_name': 'Traffic Intelligence',
    'og:url': canonical,
    'og:title': title,
    'og:description': about,
    'og:locale': language === 'es' ? 'es_ES' : 'en_GB',
    'og:image': new URL(assetPath('social.png'), url).href,
    'og:image:alt': 'Traffic Intelligence',
    'og:image:width': '1200',
    'og:image:height': '630',
  }
  const metas = Object.entries(properties).map(([name, text]) => `<meta property="${name}" content="${escaped(text)}">`)
  return `${links}${metas.join('')}<meta name="twitter:card" content="summary_large_image">`
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
function modeNotice(mode: SourceMode, language: Language): string {
  const text = MODE_NOTICES[mode][language]
  return text === '' ? '' : `<aside aria-label="${WAYS[language].notice}"><p role="note" class="mode"><span>${text}</span></p></aside>`
}

const WAYS = inBoth({
  skip: ['Ir al contenido', 'Skip to content'],
  name: ['Páginas', 'Pages'],
  notice: ['Sobre los datos', 'About the data'],
  map: ['Mapa', 'Map'],
  data: ['Datos', 'Data'],
  datasets: ['Conjuntos de datos', 'Datasets'],
  sources: ['Fuentes', 'Sources'],
  models: ['Modelos', 'Models'],
  docs: ['Documentación', 'Docs'],
  plans: ['Planes', 'Plans'],
  status: ['Estado', 'Status'],
  keys: ['Sus claves', 'Your keys'],
  other: ['English', 'Español'],
  useIt: ['Usar la API', 'Use the API'],
  start: ['Primeros pasos', 'Quick start'],
  bulk: ['Descargas', 'Bulk downloads'],
  errors: ['Errores', 'Errors'],
  service: ['El servicio', 'The service'],
  changes: ['Cambios', 'Changes'],
  forPrograms: ['Para programas', 'For programs'],
  assistants: ['Para asistentes', 'For assistants'],
  credit: [
    'Datos de organismos públicos de España. Cada respuesta nombra sus fuentes y sus licencias.',
    'Data of public bodies of Spain. Each reply names its sources and their licences.',
  ],
})

/** Returns the links of the header, in its order: path and text. */
function mainWays(language: Language): readonly Link[] {
  const { map, data, docs, plans, status } = WAYS[language]
  return [
    ['/map', map],
    ['/datasets', data],
    ['/docs', docs],
    ['/plans', plans],
    ['/status', status],
  ]
}

/** Renders the header. `current` is the page's path; the link to the other language is for pages that `?lang` selects. */
function header(language: Language, current: string, hasBoth: boolean): string {
  const { name, keys, other } = WAYS[language]
  const to = language === 'es' ? 'en' : 'es'
  const way = ([path, text]: Link, kind = ''): string =>
    `<li><a href="${path}?lang=${language}"${kind}${path === current ? ' aria-current="page"' : ''}>${text}</a></li>`
  const switching = hasBoth ? `<li><a href="?lang=${to}" hreflang="${to}" lang="${to}">${other}</a></li>` : ''
  const links = `${mainWays(language)
    .map((one) => way(one))
    .join(
      '',
    )}<li><a href="/account?lang=${language}" class="key"${current === '/account' ? ' aria-current="page"' : ''}>${keys}</a></li>${switching}`
  return `<header class="top"><div class="bar"><a class="brand" href="/?lang=${language}">${ICON}<span>Traffic Intelligence</span></a><nav aria-label="${name}"><ul class="ways">${links}</ul></nav></div></header>`
}

/** A link to a page, with its text. */
type Link = readonly [path: string, text: string]

/** Returns the groups of links of the footer. */
function footerLinks(language: Language): readonly (readonly [name: string, links: readonly Link[]])[] {
  const words = WAYS[language]
  const lang = `?lang=${language}`
  return [
    [
      words.useIt,
      [
        [`/docs/guides/quick-start${lang}`, words.start],
        [`/docs${lang}`, words.docs],
        [`/docs/guides/bulk${lang}`, words.bulk],
        [`/docs/guides/errors${lang}`, words.errors],
      ],
    ],
    [
      words.data,
      [
        [`/datasets${lang}`, words.datasets],
        [`/sources${lang}`, words.sources],
        [`/models${lang}`, words.models],
      ],
    ],
    [
      words.service,
      [
        [`/plans${lang}`, words.plans],
        [`/status${lang}`, words.status],
        [`/changelog${lang}`, words.changes],
        [`/account${lang}`, words.keys],
      ],
    ],
    [
      words.forPrograms,
      [
        ['/openapi.json', 'OpenAPI'],
        ['/llms.txt', words.assistants],
      ],
    ],
  ]
}

/** Renders the footer: all other pages, and the descriptions for programs. */
function footer(language: Language): string {
  const groups = footerLinks(language).map(
    ([name, links]) =>
      `<section><h2>${name}</h2><ul>${links.map(([path, text]) => `<li><a href="${path}">${text}</a></li>`).join('')}</ul></section>`,
  )
  return `<footer class="foot"><div>${groups.join('')}<p>${WAYS[language].credit}</p></div></footer>`
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
  return `<div class="scroll" role="group"${label} tabindex="0"><table class="${classes}"${isCaptioned ? '' : label}>${text}<thead><tr>${head}</tr></thead>
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

/** Renders a text as a block of code that scrolls by keyboard, too. A single line wraps. */
export function codeBlock(text: string): string {
  return `<pre tabindex="0"${text.includes('\n') ? '' : ' class="command"'}><code>${escaped(text)}</code></pre>`
}

/** Escapes a text for HTML elements and attributes. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
}
