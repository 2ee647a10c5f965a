// The documentation: search over guides and reference, and requests that are sent from the page. Pages are complete without it.
import { type CodeLanguage, requestCode } from './docs-code.ts'
import { key } from './key.ts'
import { geometriesOf, picturePaths } from './spain-picture.ts'

const IS_SPANISH = document.documentElement.lang === 'es'
const inLanguage = (es: string, en: string): string => (IS_SPANISH ? es : en)
const element = <T extends Element>(selector: string): T | null => document.querySelector<T>(selector)

/** An entry of the index: path, title, what it is about, and further words. */
type Entry = readonly [path: string, title: string, about: string, words: string]

/** Results that are listed at most. */
const MAX_FOUND = 12
/** Characters of a reply that are shown at most. */
const MAX_SHOWN = 30_000

/** A text in lower case without accents. */
const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

function startSearch(form: HTMLFormElement): void {
  const [input, list, count] = [element<HTMLInputElement>('#find-text'), element('#found'), element('#find-count')]
  if (!input || !list || !count) return
  form.hidden = false
  let entries: Promise<readonly Entry[]> | null = null
  const load = (): Promise<readonly Entry[]> => {
    entries ??= fetch(`/docs/search-index?lang=${document.documentElement.lang}`).then((response) => response.json() as Promise<Entry[]>)
    entries.catch(() => (entries = null))
    return entries
  }
  const find = async (): Promise<void> => {
    const words = plain(input.value).split(/\s+/).filter(Boolean)
    if (words.length === 0) {
      list.replaceChildren()
      count.textContent = ''
      return
    }
    const entries = await load()
    const scored = (most: readonly string[]) =>
      entries.map((entry) => ({ entry, score: scoreOf(entry, most) })).filter(({ score }) => score > 0)
    // Without a page that has all words, those that have some.
    const all = scored(words)
    const some = all.length > 0 ? all : words.flatMap((word) => scored([word]))
    const best = new Map<Entry, number>()
    for (const { entry, score } of some) best.set(entry, (best.get(entry) ?? 0) + score)
    const found = [...best]
      .map(([entry, score]) => ({ entry, score }))
      .toSorted((one, other) => other.score - one.score)
      .slice(0, MAX_FOUND)
    list.replaceChildren(...found.map(({ entry }) => resultItem(entry)))
    count.textContent = inLanguage(`${found.length} resultados`, `${found.length} results`)
    if (found.length === 0) list.append(Object.assign(document.createElement('li'), { textContent: inLanguage('Nada.', 'Nothing found.') }))
  }
  input.addEventListener('focus', () => void load(), { once: true })
  input.addEventListener('input', () => void find())
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    input.value = ''
    void find()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    element<HTMLAnchorElement>('#found a')?.click()
  })
}

/** How well an entry fits: every word must occur; words of the title count most. */
function scoreOf([path, title, about, more]: Entry, words: readonly string[]): number {
  const [name, rest] = [plain(title), plain(`${about} ${more} ${path}`)]
  let score = 0
  for (const word of words) {
    const isStart = name.startsWith(word) || name.includes(` ${word}`)
    if (!name.includes(word) && !rest.includes(word)) return 0
    score += isStart ? 4 : name.includes(word) ? 2 : 1
  }
  return path.startsWith('/docs/guides/') ? score + 1 : score
}

function resultItem([path, title, about]: Entry): HTMLLIElement {
  const [item, link, small] = [document.createElement('li'), document.createElement('a'), document.createElement('small')]
  link.href = `${path}?lang=${document.documentElement.lang}`
  link.textContent = title
  small.textContent = about
  item.append(link, small)
  return item
}

function startTrial(form: HTMLFormElement): void {
  const [keyInput, output] = [element<HTMLInputElement>('#try-key'), element('#try-reply')]
  if (!keyInput || !output) return
  form.hidden = false
  keyInput.value = key.get() ?? ''
  keyInput.addEventListener('change', () => key.set(keyInput.value.trim()))
  const inputs = [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-in]')]
  const url = (): string => {
    let path = form.dataset['path'] ?? ''
    const query: string[] = []
    for (const { name, value, dataset } of inputs) {
      if (value.trim() === '') continue
      if (dataset['in'] === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value.trim()))
      else query.push(`${name}=${encodeURIComponent(value.trim()).replaceAll('%2C', ',').replaceAll('%3A', ':')}`)
    }
    return query.length === 0 ? path : `${path}?${query.join('&')}`
  }
  const showCode = (): void => {
    const codes = requestCode({
      method: 'GET',
      url: `${location.origin}${url()}`,
      hasKey: 'keyed' in form.dataset || keyInput.value !== '',
      body: null,
    })
    for (const panel of document.querySelectorAll<HTMLElement>('[data-code]')) {
      const code = panel.querySelector('code')
      if (code) code.textContent = codes[panel.dataset['code'] as CodeLanguage]
    }
  }
  for (const input of inputs) input.addEventListener('input', showCode)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    key.set(keyInput.value.trim())
    output.textContent = inLanguage('Enviando…', 'Sending…')
    void currentIds(inputs)
      .then(() => {
        showCode()
        return send(url())
      })
      .then((parts) => output.replaceChildren(...parts))
      .catch((error: unknown) => {
        output.textContent = `${inLanguage('La petición no se pudo enviar', 'The request could not be sent')}: ${String(error)}`
      })
  })
}

/** The caller's key as a header, if there is one. */
function keyHeader(): Readonly<Record<string, string>> {
  const own = key.get()
  return own === null ? {} : { 'X-API-Key': own }
}

/** Replaces ids of the example by the first current id of their list, since such things come and go. */
async function currentIds(inputs: readonly (HTMLInputElement | HTMLSelectElement)[]): Promise<void> {
  for (const input of inputs) {
    const list = input.dataset['from']
    if (list === undefined || !(input instanceof HTMLInputElement) || input.value !== input.defaultValue) continue
    const response = await fetch(`${list}${list.includes('?') ? '&' : '?'}limit=1&fields=${input.name}`, {
      headers: { Accept: 'application/json', ...keyHeader() },
    })
    if (!response.ok) continue
    const reply = (await response.json()) as Readonly<Record<string, unknown>>
    const [first] = (Object.values(reply).find(Array.isArray) ?? []) as readonly Readonly<Record<string, unknown>>[]
    const id = first?.[input.name]
    if (id !== undefined) input.value = String(id)
  }
}

/** Sends a request, draws its places, and returns what to show of the reply. */
async function send(url: string): Promise<readonly HTMLElement[]> {
  const start = performance.now()
  const response = await fetch(url, { headers: keyHeader() })
  const type = response.headers.get('content-type') ?? ''
  const isText = /json|text/.test(type)
  const body = isText ? await response.text() : ''
  const bytes = isText ? new TextEncoder().encode(body).length : (await response.arrayBuffer()).byteLength
  const ms = Math.round(performance.now() - start)
  const status = document.createElement('p')
  const number = new Intl.NumberFormat(document.documentElement.lang)
  const age = response.headers.get('x-data-age')
  const facts = [
    `${response.status} ${response.statusText}`,
    `${number.format(ms)} ms`,
    `${number.format(Math.ceil(bytes / 1024))} kB`,
    age === null ? '' : `${inLanguage('datos de hace', 'data age')} ${number.format(Number(age))} s`,
  ]
  status.className = response.ok ? 'ok' : 'bad'
  status.textContent = facts.filter(Boolean).join(' · ')
  if (!isText) return [status]
  const value: unknown = type.includes('json') && !type.includes('ndjson') ? JSON.parse(body) : null
  if (response.ok && value !== null) showPlaces(value)
  const text = value === null ? body : JSON.stringify(value, null, 2)
  const block = document.createElement('pre')
  block.tabIndex = 0
  block.append(
    Object.assign(document.createElement('code'), { textContent: text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text }),
  )
  return [status, block]
}

function showPlaces(reply: unknown): void {
  const shapes = geometriesOf(reply)
  const name = element('#picture-name')
  if (!name) return
  const { dots, lines } = picturePaths(shapes)
  element('#picture-dots')?.setAttribute('d', dots)
  element('#picture-lines')?.setAttribute('d', lines)
  name.textContent = inLanguage(`Los lugares de la respuesta: ${shapes.length}`, `The places of the reply: ${shapes.length}`)
}

const find = element<HTMLFormElement>('#find')
if (find) startSearch(find)
const trial = element<HTMLFormElement>('#try-form')
if (trial) startTrial(trial)
