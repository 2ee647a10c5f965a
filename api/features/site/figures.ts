import type { OwnAnswers } from '../../engine/answers/own-answers.ts'

/** A current number from our own API. */
export interface Figure {
  /** The path that it comes from. */
  readonly path: string
  readonly label: { readonly es: string; readonly en: string }
  /** Null if there is none at the moment. */
  readonly count: number | null
  /** Time of the data, as the API returns it; null if there is none. */
  readonly updated_at: string | null
}

/** The numbers that are shown, all from free endpoints. */
const SHOWN = [
  { path: '/api/incidents', label: { es: 'incidencias activas', en: 'active incidents' } },
  { path: '/api/v16', label: { es: 'balizas V16 encendidas', en: 'V16 beacons lit' } },
  { path: '/api/trenes/alertas', label: { es: 'avisos ferroviarios', en: 'rail alerts' } },
  { path: '/api/gas-stations', label: { es: 'gasolineras con precio', en: 'filling stations with prices' } },
] as const

/** How long numbers are shown before they are requested again, in s. */
export const FRESH_S = 30

/**
 * Makes the function that returns the current numbers; `clock` is in ms. A number that is not available is left out, without an
 * error.
 */
export function liveFigures(ask: OwnAnswers, clock: () => number): () => Promise<readonly Figure[]> {
  let made: { readonly at: number; readonly figures: Promise<readonly Figure[]> } | null = null
  const one = async ({ path, label }: (typeof SHOWN)[number]): Promise<Figure> => {
    try {
      const { total, updated_at } = await ask(`${path}?limit=1`)
      return { path, label, count: total as number | null, updated_at: updated_at as string | null }
    } catch {
      return { path, label, count: null, updated_at: null }
    }
  }
  return () => {
    const now = clock()
    if (!made || now - made.at >= FRESH_S * 1000) made = { at: now, figures: Promise.all(SHOWN.map(one)) }
    return made.figures
  }
}
