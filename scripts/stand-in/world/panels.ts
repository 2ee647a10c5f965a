import { chance, hash, pick } from '../random.ts'
import { type PlaceOnRoad, placesEvery } from './along-roads.ts'
import type { RoadPoint } from './road-network.ts'
import { defineWorldPart, type World } from './world.ts'

/** A variable-message panel. */
export interface Panel {
  readonly id: number
  readonly road: string
  readonly point: RoadPoint
  readonly isPositive: boolean
  readonly destination: string
  /** When its record was last changed, ms. */
  readonly changedAt: number
}

/** A page of a panel: codes of pictograms by area, and text. */
export interface PanelPage {
  readonly left: string
  readonly right: string | null
  readonly text: string | null
}

/** The message of a panel: no pages if none is set. */
export interface PanelMessage {
  readonly panel: number
  readonly setAt: number
  readonly pages: readonly PanelPage[]
}

/** Distance between panels, in km: the access roads of Madrid have many. */
const SPACING = { full: { madrid: 1.5, elsewhere: 18 }, small: { madrid: 20, elsewhere: 400 } } as const
const FIRST_ID = 61_400
const HOUR = 3_600_000
const DAY = 24 * HOUR

const page = (left: string, right: string | null, text: string | null): PanelPage => ({ left, right, text })
const BLANK: readonly PanelPage[] = [page('0', null, null), page('0', null, null)]

/** Messages, and their frequency per hundred panels. Lines are centred by blanks and end in LF or CR LF, as in the captures. */
const MESSAGES: readonly (readonly [number, readonly PanelPage[]])[] = [
  [30, BLANK],
  [14, []],
  [8, [page('R301100I', 'E17', ' VELOCIDAD\n CONTROLADA\n POR RADAR')]],
  [7, [page('R30180I', null, null)]],
  [6, [page('R30190I', 'R30190I', '  CALIDAD\n DEL AIRE\n LIMITE 90')]],
  [8, [page('XE92', null, ' VIGILANCIA\r\nAEREA POR SU\r\n SEGURIDAD'), page('E17', null, ' VIGILANCIA\r\nAEREA POR SU\r\n SEGURIDAD')]],
  [6, [page('S900', 'S900', '   RIESGO\n EXTREMO DE\n  INCENDIO'), page('S900', 'S900', '  EXTREME\n    FIRE\n   HAZARD')]],
  [7, [page('P18O', 'P18O', '   OBRAS\n A 2 KM'), page('S51', null, '   CARRIL\n DERECHO\n  CERRADO')]],
  [6, [page('E64', 'P18O', '      \nCORTE ACCESO\n   M-100'), page('S118', 'E03', 'ALTERNATIVA\n    POR\n    N-1A')]],
  [4, [page('XDGT', null, null)]],
  [4, [page('E45', null, 'NIEBLA / BOIRA\nMODERE VELOCIDAD')]],
]

/** The panels, along the roads. */
export const panels = defineWorldPart((world): readonly Panel[] =>
  placesEvery(world, { ...SPACING[world.scale], word: 'first panel', steps: 1000 }).map((place, nth) => panelOf(world, place, nth)),
)

function panelOf({ seed }: World, { stretch, point }: PlaceOnRoad, nth: number): Panel {
  const isPositive = chance(seed, 'panel direction', nth) < 0.5
  return {
    id: FIRST_ID + nth,
    road: stretch.road.name,
    point,
    isPositive,
    destination: isPositive ? point.municipality.name.toUpperCase() : 'MADRID',
    changedAt: Date.UTC(2023, 0, 1) + Math.floor(chance(seed, 'panel changed', nth) * 1000) * DAY,
  }
}

/** Panels in the messages that are missing in the catalogue. */
const UNLISTED = [990_001, 990_002]

/**
 * The panels' messages at an instant (ms). Of the catalogued panels one in forty has never reported, and one in a hundred is
 * missing for an hour. Each changes its message every two to six hours.
 */
export function panelMessagesAt(world: World, now: number): PanelMessage[] {
  const { seed } = world
  const ids = [...world.part(panels).map(({ id }) => id), ...UNLISTED]
  return ids.flatMap((panel, nth) => {
    // The first ones always report, so that the smallest world has every kind of page.
    const isFirst = nth < MESSAGES.length
    if (!isFirst && chance(seed, 'panel is silent', panel) < 0.025) return []
    if (!isFirst && chance(seed, 'panel is out', panel, Math.floor(now / HOUR)) < 0.01) return []
    const length = (2 + (hash(seed, 'panel period', panel) % 5)) * HOUR
    const offset = Math.floor(chance(seed, 'panel offset', panel) * length)
    const period = Math.floor((now + offset) / length)
    const setAt = period * length - offset
    const pages = isFirst ? (MESSAGES[nth]?.[1] ?? BLANK) : messageOf(chance(seed, 'panel message', panel, period))
    return [{ panel, setAt, pages }]
  })
}

function messageOf(u: number): readonly PanelPage[] {
  return pick(
    MESSAGES.flatMap(([share, pages]) => Array.from({ length: share }, () => pages)),
    u,
  )
}
