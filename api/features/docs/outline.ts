import { type Area, loadAtlas } from '../../../lake/places/atlas.ts'
import { PICTURE, toPicture } from '../../browser/spain-picture.ts'

/** Shortest distance of two places of the outline, in units of the picture. */
const STEP = 1.6

/** Draws the provinces of Spain as an SVG (some 40 kB) that is readable on light and dark. */
export function outlineSvg(provinces: readonly Area[] = loadAtlas().provinces): string {
  const paths = provinces.flatMap(({ rings }) => rings.map(ringPath)).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PICTURE.width} ${PICTURE.height}"><path d="${paths}" fill="#8796a5" fill-opacity=".2" stroke="#8796a5" stroke-opacity=".5" stroke-width=".6" stroke-linejoin="round"/><path d="M2 330h132l14 18v50" fill="none" stroke="#8796a5" stroke-opacity=".5" stroke-width=".6"/></svg>`
}

function ringPath(ring: Float64Array): string {
  const places: (readonly [number, number])[] = []
  for (let at = 0; at < ring.length; at += 2) {
    const place = toPicture(ring[at] as number, ring[at + 1] as number)
    const last = places.at(-1)
    if (!last || Math.hypot(place[0] - last[0], place[1] - last[1]) >= STEP) places.push(place)
  }
  return places.length < 3 ? '' : `M${places.map((place) => place.map((at) => at.toFixed(1)).join(' ')).join('L')}z`
}
