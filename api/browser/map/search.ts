import { ask } from './data.ts'
import { element, item, language, textsIn } from './dom.ts'
import type { Place } from './geometry.ts'

const NONE = { es: 'Sin resultados.', en: 'No results.' }[language]
/** How long a person types without a request, in ms. */
const TYPING_MS = 250

/** The zoom that shows a place of a collection. */
const ZOOMS: Readonly<Record<string, number>> = { provinces: 8, municipalities: 11 }
const NEAR_ZOOM = 13

interface Hit {
  readonly collection: string
  readonly title: string
  readonly subtitle: string | null
  readonly lat: number | null
  readonly lon: number | null
}

/** What a search works with; `choose` gets the chosen place and the zoom that shows it. */
interface SearchParts {
  readonly hits: HTMLElement
  readonly token: string
  readonly choose: (name: string, at: Place, zoom: number) => void
}

/** Searches places while a person types in a field, and lists them; Enter chooses the first. */
export function searchPlaces(field: HTMLInputElement, { hits, token, choose }: SearchParts): void {
  let latest = 0
  let typing: ReturnType<typeof setTimeout> | undefined
  const take = ({ title, collection, lat, lon }: Hit): void => {
    hits.replaceChildren()
    choose(title, [lon as number, lat as number], ZOOMS[collection] ?? NEAR_ZOOM)
  }
  /** Lists the places, and returns the first. */
  const search = async (): Promise<Hit | undefined> => {
    clearTimeout(typing)
    const mine = ++latest
    const q = field.value.trim()
    if (q.length < 2) return void hits.replaceChildren()
    const found = await ask<{ readonly hits: readonly Hit[] }>(`/api/search?q=${encodeURIComponent(q)}&limit=8&lang=${textsIn}`, token)
    if (mine !== latest) return undefined
    const places = found.hits.filter(({ lat }) => lat !== null)
    hits.replaceChildren(
      ...places.map((hit) =>
        element(
          'li',
          {},
          item(hit.title, hit.subtitle ?? '', () => take(hit)),
        ),
      ),
      ...(places.length === 0 ? [element('li', { class: 'note' }, NONE)] : []),
    )
    return places[0]
  }
  const later = (): void => {
    clearTimeout(typing)
    typing = setTimeout(() => void search().catch(() => undefined), TYPING_MS)
  }
  field.addEventListener('input', later)
  field.form?.addEventListener('submit', (event) => {
    event.preventDefault()
    void search().then(
      (first) => first && take(first),
      () => undefined,
    )
  })
}
