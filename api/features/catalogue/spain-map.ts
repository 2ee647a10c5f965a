import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { mesh } from 'topojson-client'
import { simplifiedLine } from '../../../lake/places/lines.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { escaped } from '../site/html.ts'

/** A position in WGS84 degrees. */
export interface Position {
  readonly lat: number
  readonly lon: number
}

/** Pixels per degree of latitude, and of longitude in the middle of Spain. */
const SCALE = 44
const LON_SCALE = SCALE * Math.cos((40 * Math.PI) / 180)
/** The corner of the map, and its size in pixels. */
const [WEST, NORTH] = [-9.6, 43.95]
const [WIDTH, HEIGHT] = [480, 466]
/** The Canary Islands are drawn in a frame below the mainland, by these degrees to the east and north. */
const CANARIES = { lon: 8.75, lat: 6.05 }
/** Borders are at most this far off, in m: less than a pixel. */
const TOLERANCE_M = 2200

function place({ lat, lon }: Position): readonly [x: number, y: number] {
  const moved = lat < 30 && lon < -12 ? CANARIES : { lon: 0, lat: 0 }
  return [Math.round(10 * (lon + moved.lon - WEST) * LON_SCALE) / 10, Math.round(10 * (NORTH - lat - moved.lat) * SCALE) / 10]
}

/** True for a position that the map shows: Spain with its islands. */
export function isOnMap(position: Position): boolean {
  const [x, y] = place(position)
  return x >= 0 && x <= WIDTH && y >= 0 && y <= HEIGHT
}

let outline: string | undefined

/** The borders of the provinces (es-atlas, IGN/CNIG, CC BY 4.0) as an SVG path, made on first use. */
function outlinePath(): string {
  if (outline !== undefined) return outline
  const file = createRequire(import.meta.url).resolve('es-atlas/es/provinces.json')
  const topology = JSON.parse(readFileSync(file, 'utf8')) as Parameters<typeof mesh>[0]
  const lines = mesh(topology, topology.objects['provinces'] as Parameters<typeof mesh>[1]).coordinates as unknown as readonly Line[]
  outline = lines
    .filter((line) => line.length > 8)
    .map(
      (line) =>
        `M${simplifiedLine(line, TOLERANCE_M)
          .map(([lon, lat]) => place({ lon, lat }).join(' '))
          .join('L')}`,
    )
    .join('')
  return outline
}

/** Renders points on a map of Spain's provinces; `label` says what they are, for screen readers. */
export function spainMap(points: readonly Position[], label: string): string {
  const dots = points.map((point) => {
    const [x, y] = place(point)
    return `M${x} ${y}h0`
  })
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(label)}" class="spain"><path class="border" d="${outlinePath()}"/><path class="frame" d="M4 ${HEIGHT - 102}H170V${HEIGHT - 4}H4Z"/><path class="points" d="${dots.join('')}"/></svg>`
}
