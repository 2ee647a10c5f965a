import type { Stream } from './births.ts'
import { RHYTHMS } from './rhythm.ts'

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

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const { steady, traffic, rush, office, snow: winter } = RHYTHMS

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

const RETENTION = [2, 'Retenció'] as const
const JAM = { type: RETENTION, effects: QUEUES, slot_s: 10 * MINUTE, mainShare: 0.95, bothShare: 0, length_km: 3 } as const

/** Every kind. Its position in the list is part of its incidents' ids: append new kinds at the end. */
export const CATALAN_KINDS: readonly CatalanKind[] = [
  {
    name: 'works',
    type: [3, 'Obres'],
    causes: WORKS,
    effects: RESTRICTED,
    active: 104,
    slot_s: DAY,
    least_s: DAY,
    mean_s: 60 * DAY,
    cap_s: 700 * DAY,
    reported_s: 25 * DAY,
    rhythm: steady,
    mainShare: 0.45,
    bothShare: 0.82,
    length_km: 3,
  },
  {
    name: 'day-works',
    type: [3, 'Obres'],
    causes: WORKS,
    effects: RESTRICTED,
    active: 22,
    slot_s: HOUR,
    least_s: HOUR,
    mean_s: 6 * HOUR,
    cap_s: 30 * HOUR,
    reported_s: 5 * HOUR,
    rhythm: office,
    mainShare: 0.55,
    bothShare: 0.75,
    length_km: 4,
  },
  {
    name: 'traffic',
    ...JAM,
    causes: causes('2 Circulació 1'),
    active: 7,
    least_s: 10 * MINUTE,
    mean_s: 70 * MINUTE,
    cap_s: 5 * HOUR,
    reported_s: 9 * MINUTE,
    rhythm: rush,
  },
  {
    name: 'held-up',
    ...JAM,
    effects: [...QUEUES, [['Calçada tallada', 5], 1]],
    causes: causes('3 Accident 4, 9 Avaria 3, 23 Retirada de vehicle 2, 62 Regulació trànsit 1, 12 Obres 2'),
    active: 5,
    least_s: 15 * MINUTE,
    mean_s: 80 * MINUTE,
    cap_s: 9 * HOUR,
    reported_s: 14 * MINUTE,
    rhythm: traffic,
  },
  {
    name: 'cones',
    ...JAM,
    type: [4, 'Cons'],
    causes: causes('62 Regulació trànsit 1'),
    effects: [[['Calçada restringida', 2], 1]],
    active: 1,
    least_s: 30 * MINUTE,
    mean_s: 2 * HOUR,
    cap_s: 6 * HOUR,
    reported_s: HOUR,
    rhythm: rush,
  },
  {
    name: 'weather',
    // The publisher's spelling.
    type: [5, 'Meterologia'],
    causes: causes('5 Neu 4, 89 Inundacions 1'),
    effects: [
      [['Calçada tallada', 5], 2],
      [['Calçada restringida', 2], 3],
    ],
    active: 3,
    slot_s: 6 * HOUR,
    least_s: 3 * HOUR,
    mean_s: 2 * DAY,
    cap_s: 9 * DAY,
    reported_s: 12 * HOUR,
    rhythm: winter,
    mainShare: 0.2,
    bothShare: 1,
    length_km: 8,
  },
]

/** `number text weight`, separated by a comma and one blank; a second blank before the weight is the text's own. */
function causes(text: string): [CatalanCause, number][] {
  return text.split(', ').map((item) => {
    const [, subtype, name = '', weight] = /^(\d+) (.+) (\d+)$/.exec(item) ?? []
    if (subtype === undefined) throw new Error(`causes: ${JSON.stringify(item)} is not number, text and weight`)
    return [{ subtype: Number(subtype), text: name }, Number(weight)]
  })
}
