import { barcelonaTraffic, bilbaoTraffic, valenciaTraffic } from './sources.ts'

/** A city that publishes traffic states by street section. */
export interface SectionCity {
  readonly city: string
  /** INE code of its municipality. */
  readonly municipality_code: string
  /** Source of its live states. */
  readonly source: string
  /** Source of its archive of months; null if it has none. */
  readonly archive: string | null
  /** Bounding box of its sections, degrees. */
  readonly box: { readonly west: number; readonly east: number; readonly south: number; readonly north: number }
}

/** The cities that publish traffic states by street section. */
export const SECTION_CITIES = {
  barcelona: {
    city: 'barcelona',
    municipality_code: '08019',
    source: barcelonaTraffic.id,
    archive: `${barcelonaTraffic.id}_archive`,
    box: { west: 2.05, east: 2.25, south: 41.3, north: 41.49 },
  },
  valencia: {
    city: 'valencia',
    municipality_code: '46250',
    source: valenciaTraffic.id,
    archive: null,
    box: { west: -0.48, east: -0.27, south: 39.27, north: 39.58 },
  },
  bilbao: {
    city: 'bilbao',
    municipality_code: '48020',
    source: bilbaoTraffic.id,
    archive: null,
    box: { west: -3.02, east: -2.87, south: 43.2, north: 43.32 },
  },
} as const satisfies Readonly<Record<string, SectionCity>>

/** Step between two states of a section, s: all three cities publish every five minutes. */
export const SECTION_PERIOD_S = 300
