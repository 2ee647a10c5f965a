import { ask } from './data.ts'
import { element, item, language } from './dom.ts'
import type { Place } from './geometry.ts'

const NONE = { es: 'Sin resultados.', en: 'No results.' }[language]
/** How long a person types without a request, in ms. */
const TYPING_MS = 250

interface Hit {
  readonly title: string
  readonly subtitle: string | null
  readonly lat: number | null
  readonly lon: number | null
}

/** Searches places while a person types in a field, and lists them; `choose` gets the chosen one. */
export function searchPlaces(
  field: HTMLInputElement,
  { hits, token, choose }: { readonly hits: HTMLElement; readonly token: string; readonly choose: (name: string, at: Place) => void },
): void {
  let latest = 0
  let typing: ReturnType<typeof setTimeout> | undefined
  const search = async (): Promise<void> => {
    clearTimeout(typing)
    const mine = ++latest
    const q = field.value.trim()
    if (q.length < 2) return hits.replaceChildren()
    const found = await ask<{ readonly hits: readonly Hit[] }>(`/api/search?q=${encodeURIComponent(q)}&limit=8&lang=${language}`, token)
    if (mine !== latest) return
    const places = found.hits.filter(({ lat }) => lat !== null)
    hits.replaceChildren(
      ...places.map(({ title, subtitle, lat, lon }) => {
        const button = item(title, subtitle ?? '', () => {
          hits.replaceChildren()
          choose(title, [lon as number, lat as number])
        })
        return element('li', {}, button)
      }),
      ...(places.length === 0 ? [element('li', { class: 'note' }, NONE)] : []),
    )
  }
  const later = (): void => {
    clearTimeout(typing)
    typing = setTimeout(() => void search().catch(() => undefined), TYPING_MS)
  }
  field.addEventListener('input', later)
  field.form?.addEventListener('submit', (event) => {
    event.preventDefault()
    void search().catch(() => undefined)
  })
}
