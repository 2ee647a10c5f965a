import type { Stream } from './births.ts'
import { RHYTHMS } from './rhythm.ts'
import { seconds } from './situation-kinds.ts'

/**
 * A cause in the Servei Català de Trànsit's spelling, trailing blanks included, with its number, whose meaning depends on the
 * type.
 */
export interface CatalanCause {
  readonly subtype: number
  readonly text: string
}

/** A stream of incidents that begin and end on Catalonia's roads. */
export interface CatalanKind extends Stream {
  readonly name: string
  /** `tipus` and `descripcio_tipus`. */
  readonly type: readonly [code: number, text: string]
  readonly causes: readonly (readonly [CatalanCause, number])[]
  /** Effects on the road, with their levels. */
  readonly effects: readonly (readonly [readonly [text: string, level: number], number])[]
  /** Mean time between two reports. */
  readonly reported_s: number
  /** Share on main roads; share that affects both directions; mean length in km. */
  readonly mainShare: number
  readonly bothShare: number
  readonly length_km: number
}

const QUEUES = [
  [['Circulació intensa', 2], 3],
  [['Circulació amb retencions', 3], 4],
  [['Circulació amb congestió', 4], 3],
] as const
const RESTRICTED = [
  [['Calçada restringida', 2], 118],
  [['Calçada restringida. Desviaments', 3], 3],
  [['Calçada tallada', 5], 15],
  [['Calçada tallada. Desviaments', 4], 1],
  // Sometimes there is no text.
  [['', 2], 1],
] as const

/** Works by number and text, with the frequencies of a day in February 2026. */
const WORKS = causes(
  '3 Treballs de manteniment 27, 68 Millora de traçat 13, 1 Obres en general 12, 27 Reparació de barrera de seguretat 9, 15 Reforçament de ferm 9, ' +
    '19 Neteja 9, 4 Reasfaltat 7, 29 Treballs de jardineria 5, 28 Construcció de rotonda 5, 73 Esllavissada 5, 7 Manteniment de ponts 4, ' +
    '53 Senyalització horitzontal 4, 74 Manteniment de túnel 3, 81 Sondejos 3, 75 Estabilització de talús 3, 66 Canalització de fibra 3, ' +
    '51 Reparació de juntes de dilatació 2, 61 Senyalització vertical 2, 50 Reparació de biona 2, 95 Carril BICI 2, 31 Encreuament subterrani 1, ' +
    "89 Inundacions 1, 86 Col·locació o substitució barrera  1, 58 Instal·lació d'espires 1, 13 Millora de senyalització 1, " +
    '78 Construcció i reparació de mur 1, 92 Carril BUS  1, 69 Millora de la rotonda 1, 42 Ampliació al tercer carril 1, 2 Grans obres 1',
)

const CAUSES = {
  works: WORKS,
  traffic: causes('2 Circulació 1'),
  held: causes('3 Accident 4, 9 Avaria 3, 23 Retirada de vehicle 2, 62 Regulació trànsit 1, 12 Obres 2'),
  cones: causes('62 Regulació trànsit 1'),
  weather: causes('5 Neu 4, 89 Inundacions 1'),
}
const EFFECTS = {
  restricted: RESTRICTED,
  queues: QUEUES,
  held: [...QUEUES, [['Calçada tallada', 5], 1]],
  narrowed: [[['Calçada restringida', 2], 1]],
  closed: [
    [['Calçada tallada', 5], 2],
    [['Calçada restringida', 2], 3],
  ],
} as const

// One kind per line; `Meterologia` is the publisher's spelling.
const KINDS = `
name      | type          | causes  | effects    | active | slot | least | mean | cap  | reported | rhythm  | main | both | km
works     | 3 Obres       | works   | restricted | 104    | 1d   | 1d    | 60d  | 700d | 25d      | steady  | 0.45 | 0.82 | 3
day-works | 3 Obres       | works   | restricted | 22     | 1h   | 1h    | 6h   | 30h  | 5h       | office  | 0.55 | 0.75 | 4
traffic   | 2 Retenció    | traffic | queues     | 7      | 10m  | 10m   | 70m  | 5h   | 9m       | rush    | 0.95 | 0    | 3
held-up   | 2 Retenció    | held    | held       | 5      | 10m  | 15m   | 80m  | 9h   | 14m      | traffic | 0.95 | 0    | 3
cones     | 4 Cons        | cones   | narrowed   | 1      | 10m  | 30m   | 2h   | 6h   | 1h       | rush    | 0.95 | 0    | 3
weather   | 5 Meterologia | weather | closed     | 3      | 6h   | 3h    | 2d   | 9d   | 12h      | snow    | 0.2  | 1    | 8
`

/** Every kind. Its position in the list is part of its incidents' ids: append new kinds at the end. */
export const CATALAN_KINDS: readonly CatalanKind[] = KINDS.trim().split('\n').slice(1).map(readKind)

function readKind(line: string): CatalanKind {
  const [name = '', type = '', cause, effect, active, ...rest] = line.split('|').map((cell) => cell.trim())
  const [slot_s = 0, least_s = 0, mean_s = 0, cap_s = 0, reported_s = 0] = rest.slice(0, 5).map(seconds)
  return {
    ...{ name, type: [Number(type[0]), type.slice(2)], slot_s, least_s, mean_s, cap_s, reported_s },
    ...{ causes: CAUSES[cause as keyof typeof CAUSES], effects: EFFECTS[effect as keyof typeof EFFECTS], active: Number(active) },
    ...{ rhythm: RHYTHMS[rest[5] as keyof typeof RHYTHMS], mainShare: Number(rest[6]), bothShare: Number(rest[7]) },
    length_km: Number(rest[8]),
  }
}

/** `number text weight`, separated by a comma and one blank; a second blank before the weight is the text's own. */
function causes(text: string): [CatalanCause, number][] {
  return text.split(', ').map((item) => {
    const [, subtype, name = '', weight] = /^(\d+) (.+) (\d+)$/.exec(item) ?? []
    if (subtype === undefined) throw new Error(`causes: ${JSON.stringify(item)} is not number, text and weight`)
    return [{ subtype: Number(subtype), text: name }, Number(weight)]
  })
}
