import type { Point } from '../../../lake/schema/columns.ts'

/** Radius of the circles, nautical miles: adsb.lol's maximum. */
export const CIRCLE_NM = 250

/**
 * Centres of circles that together cover the peninsula and the Balearics with their approaches, the Canaries, and the way between
 * them; a test checks it.
 */
export const CIRCLES: Readonly<Record<string, Point>> = Object.freeze({
  galicia: { lat: 42.2, lon: -8.6 },
  castilla: { lat: 42.2, lon: -2.6 },
  cataluna: { lat: 42, lon: 3.4 },
  algarve: { lat: 36.9, lon: -8.6 },
  andalucia: { lat: 37, lon: -2.6 },
  baleares: { lat: 37, lon: 3.4 },
  canarias_west: { lat: 28.4, lon: -16.6 },
  canarias_east: { lat: 28.6, lon: -12.4 },
  atlantic: { lat: 33, lon: -13.2 },
  morocco: { lat: 32.2, lon: -8.2 },
})
