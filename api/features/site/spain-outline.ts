import { loadAtlas } from '../../../lake/places/atlas.ts'
import { PICTURE, toPicture } from '../../browser/spain-picture.ts'

/** Shortest distance of two places of the outline, in units of the picture. */
const STEP = 1.6
/** The frame of the Canary Islands, as SVG path data. */
export const CANARIES_FRAME = 'M2 330h132l14 18v50'

let outline: string | undefined

/** Returns the provinces of Spain as SVG path data (some 40 kB) in the picture of `toPicture`; made on first use. */
export function outlinePath(): string {
  outline ??= loadAtlas()
    .provinces.flatMap(({ rings }) => rings.map(ringPath))
    .join('')
  return outline
}

/** Draws the outline as an SVG of its own that is readable on light and dark. */
export function outlineSvg(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PICTURE.width} ${PICTURE.height}"><path d="${outlinePath()}" fill="#8796a5" fill-opacity=".2" stroke="#8796a5" stroke-opacity=".5" stroke-width=".6" stroke-linejoin="round"/><path d="${CANARIES_FRAME}" fill="none" stroke="#8796a5" stroke-opacity=".5" stroke-width=".6"/></svg>`
}

/** Draws `paths` (SVG) over the outline; `label` says what they are for screen readers, null if the text beside does. */
export function spainSvg(paths: string, label: string | null): string {
  const role = label === null ? 'aria-hidden="true"' : `role="img" aria-label="${label}"`
  return `<svg viewBox="0 0 ${PICTURE.width} ${PICTURE.height}" ${role}><path class="land" d="${outlinePath()}"/><path class="inset" d="${CANARIES_FRAME}"/>${paths}</svg>`
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
