import type { Map as MapView } from 'maplibre-gl'
import { shieldOf } from './road-signs.ts'

/** The prefix of the names of shields among the images of the map. */
const PREFIX = 'road:'
const RATIO = 2

/** Draws the sign of a road when the map first needs it: `road:A-2`. */
export function drawShield(view: MapView, id: string, scheme: 'dark' | 'light'): void {
  if (!id.startsWith(PREFIX) || view.hasImage(id)) return
  const road = id.slice(PREFIX.length)
  const look = shieldOf(road)
  const font = '700 11px Overpass, system-ui, sans-serif'
  const measure = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D
  measure.font = font
  const [width, height] = [Math.ceil(measure.measureText(road).width) + 10, 17]
  const canvas = new OffscreenCanvas(width * RATIO, height * RATIO)
  const pen = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D
  pen.scale(RATIO, RATIO)
  pen.beginPath()
  pen.roundRect(0.5, 0.5, width - 1, height - 1, 3.5)
  // At night signs must not outshine the data.
  pen.globalAlpha = scheme === 'dark' ? 0.86 : 1
  pen.fillStyle = look.ground
  pen.fill()
  pen.lineWidth = 1
  pen.strokeStyle = look.edge
  pen.stroke()
  pen.font = font
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillStyle = look.letters
  pen.fillText(road, width / 2, height / 2 + 1)
  view.addImage(id, pen.getImageData(0, 0, width * RATIO, height * RATIO), { pixelRatio: RATIO })
}
