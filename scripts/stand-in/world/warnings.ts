import { zoneOf } from '../../../lake/places/clocks.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { between, chance } from '../random.ts'
import { type AlertZone, alertZones } from './alert-zones.ts'
import type { World } from './world.ts'

/** A kind of warning, with the terms of AEMET's messages. */
interface WarningKind {
  /** Code and name of the phenomenon, and its name in the English event. */
  readonly phenomenon: readonly [code: string, name: string, english: string]
  /** Code of the parameter, its label in Spanish and English. */
  readonly parameter: readonly [code: string, label: string, english: string]
  /** The parameter's text in place of a number, if it has one. */
  readonly text?: string
  /** Values of the three levels and their unit; null if the parameter has no number. */
  readonly values: { readonly of: readonly [number, number, number]; readonly unit: string } | null
  /** Hours of the local day, from and to. */
  readonly hours: readonly [number, number]
  /** Months in which it occurs. */
  readonly months: readonly number[]
  /** Communities or provinces where it occurs, by the first digits of their zones; all if empty. */
  readonly zones: RegExp
  readonly isCoastal: boolean
  /** Probability of an episode in a community on a day. */
  readonly share: number
}

// One kind per line. Values of the levels with their unit; first digits of the zones where it occurs.
const ROWS = `
phenomenon | parameter | values | hours | months | zones | where | share
AT;Temperaturas máximas;high-temperature | TA;Temperatura máxima;Maximum temperature | 36 39 42 ºC | 13 21 | 6 7 8 9 | all | land | 0.45
BT;Temperaturas mínimas;low-temperature | TI;Temperatura mínima;Minimum temperature | -4 -8 -12 ºC | 0 10 | 12 1 2 3 | 62 6[78] 69 72 74 76 | land | 0.4
PR;Lluvias;rain | P1;Precipitación acumulada en una hora;Accumulated precipitation in one hour | 15 30 60 mm | 6 24 | all | all | land | 0.12
TO;Tormentas;thunderstorm | TO;Tormentas;Thunderstorms | none | 13 23 | 5 6 7 8 9 10 | all | land | 0.2
VI;Vientos;wind | RM;Rachas máximas;Maximum gust of wind | 80 100 130 km/h | 0 24 | all | all | land | 0.2
NE;Nevadas;snow | NV;Acumulación de nieve en 24 horas;Snow accumulated in 24 hours | 5 15 40 cm | 0 24 | 11 12 1 2 3 4 | 62 63 66 67 68 69 71 72 74 75 76 | land | 0.15
NI;Nieblas;fog | VI;Visibilidad;Visibility | 200 100 50 m | 0 11 | 11 12 1 2 | 62 67 68 6925 74 | land | 0.3
VS;Polvo en suspensión;dust | VI;Visibilidad;Visibility | 3000 1500 500 m | 6 24 | 1 2 3 7 8 12 | 65 | land | 0.25
CO;Costeros;coastal event | CO;Costeros;Coastal event | none | 0 24 | all | all | sea | 0.35
GA;Galernas;galerna | GA;Galernas;Galernas | none | 15 22 | 4 5 6 7 8 9 | 63 66 75 | sea | 0.1
RI;Rissagas;rissaga | RI;Rissagas;Rissagas | none | 6 20 | 4 5 6 7 8 9 | 64 | sea | 0.1
AL;Aludes;avalanche | AL;Cota del peligro de aludes;Altitude of the danger of avalanches | 2400 2200 1800 m | 0 24 | 1 2 3 4 12 | 622201 692501 690801 | land | 0.3
DH;Deshielos;thaw | DH;Deshielos;Thaw | none | 0 24 | 3 4 5 | 62 63 66 67 69 | land | 0.08
`

/** Kinds of warnings, by season. */
const WARNING_KINDS: readonly WarningKind[] = ROWS.trim().split('\n').slice(1).map(readKind)

function readKind(row: string): WarningKind {
  const [phenomenon = '', parameter = '', values = '', hours = '', months = '', zones = '', where, share] = row.split(' | ')
  const [yellow, orange, red, unit = ''] = values.split(' ')
  return {
    phenomenon: phenomenon.split(';') as [string, string, string],
    parameter: parameter.split(';') as [string, string, string],
    ...(phenomenon.startsWith('CO;') && { text: 'Viento del oeste de 50 a 60 km/h (fuerza 7) y olas de 4 metros' }),
    values: values === 'none' ? null : { of: [Number(yellow), Number(orange), Number(red)], unit },
    hours: hours.split(' ').map(Number) as [number, number],
    months: months === 'all' ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] : months.split(' ').map(Number),
    zones: zones === 'all' ? /^/ : new RegExp(`^(${zones.replaceAll(' ', '|')})`),
    isCoastal: where === 'sea',
    share: Number(share),
  }
}

/** A message about a kind of weather on a day: a warning for one zone, or the absence of warnings in a community (level 0). */
export interface Warning {
  readonly kind: WarningKind
  readonly zones: readonly AlertZone[]
  readonly level: 0 | 1 | 2 | 3
  readonly value: number | null
  readonly probability: string
  /** Instants, ms since the epoch. */
  readonly sentAt: number
  readonly onset: number
  readonly expires: number
  /** When the replaced message was sent; null for the first. */
  readonly updates: number | null
  /** True if it only withdraws the warning before its end. */
  readonly isWithdrawal: boolean
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAYS_AHEAD = 2
/** How long packages include a withdrawal. */
const WITHDRAWN_FOR = 3 * HOUR
/** Share of the revised warnings that are withdrawn. */
const WITHDRAWN = 0.15
/** The least strength of each level. */
const YELLOW_FROM = 0.55
const [ORANGE_FROM, RED_FROM] = [0.86, 1]
/** A zone that always has a warning, which is never withdrawn, so that the API's examples find one. */
export const SHOWN_ZONE = '722802'
/** Communities of a small world. */
const SMALL = /^(61|65|72)/

/** The messages in the package of an instant (ms), a pure function of the seed and the instant; green ones are first. */
export function warningsAt(world: World, instant: number): Warning[] {
  const zones = world.part(alertZones).filter(({ code }) => world.scale === 'full' || SMALL.test(code))
  const communities = Map.groupBy(zones, ({ code }) => code.slice(0, 2))
  const warnings: Warning[] = []
  const calm: Warning[] = []
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
    const date = madridDate(instant, ahead)
    const month = Number(date.slice(5, 7))
    for (const kind of WARNING_KINDS.filter(({ months }) => months.includes(month)))
      for (const [community, all] of communities) {
        const own = all.filter(({ code, is_coastal }) => is_coastal === kind.isCoastal && kind.zones.test(code))
        if (own.length === 0) continue
        const episode = { kind, date, community, seed: world.seed }
        const isOn = roll(episode, 'episode', community) < kind.share
        const found = own.flatMap((zone) => (isOn || isShown(episode, zone) ? (newest(episode, zone, instant) ?? []) : []))
        warnings.push(...found)
        const warned = new Set(found.flatMap((one) => one.zones))
        const others = own.filter((zone) => !warned.has(zone))
        if (ahead === 0 && others.length > 0) calm.push(calmOf(episode, others, instant))
      }
  }
  return [...calm, ...warnings]
}

/** A kind of weather in a community on a local day. */
interface Episode {
  readonly kind: WarningKind
  readonly date: string
  readonly community: string
  readonly seed: number
}

/** The newest message about a zone at an instant; null if none was sent, or it is over. */
function newest(episode: Episode, zone: AlertZone, instant: number): Warning | null {
  const { onset, expires } = spanOf(episode, zone)
  if (instant > expires) return null
  const sent = messagesOf(episode, zone, onset).filter(({ sentAt }) => sentAt <= instant)
  const last = sent.at(-1)
  if (!last) return null
  const before = sent.at(-2)
  const wasWarned = before !== undefined && before.strength >= YELLOW_FROM
  const isWithdrawal = last.strength < YELLOW_FROM
  if (isWithdrawal && (!wasWarned || instant > last.sentAt + WITHDRAWN_FOR)) return null
  const strength = isWithdrawal && before ? before.strength : last.strength
  return {
    ...episode,
    zones: [zone],
    ...sizeOf(episode.kind, strength),
    probability: ['10%-40%', '40%-70%', 'mayor 70%'][
      between(0, 2, chance(episode.seed, 'warning probability', zone.code, episode.date))
    ] as string,
    sentAt: last.sentAt,
    onset,
    expires,
    updates: wasWarned ? before.sentAt : null,
    isWithdrawal,
  }
}

/** The messages about a zone: the first some two days before; half are revised a day before, and some of those are withdrawn. */
function messagesOf(episode: Episode, zone: AlertZone, onset: number): { sentAt: number; strength: number }[] {
  const together = (what: string): number => roll(episode, what, episode.community)
  const alone = (what: string): number => roll(episode, what, zone.code)
  const first = onset - 50 * HOUR + Math.floor((8 * HOUR * together('first')) / MINUTE) * MINUTE
  const second = first + 12 * HOUR + Math.floor((14 * HOUR * together('second')) / MINUTE) * MINUTE
  const strength = 0.4 + 0.35 * together('strength') + 0.3 * alone('zone')
  const revised = alone('withdrawal') < WITHDRAWN ? 0 : strength + 0.2 * (alone('revision') - 0.5)
  const least = isShown(episode, zone) ? YELLOW_FROM : 0
  return [
    { sentAt: first, strength: Math.max(least, strength) },
    ...(alone('revised') < 0.5 ? [{ sentAt: second, strength: Math.max(least, revised) }] : []),
  ]
}

function roll({ kind, date, seed }: Episode, what: string, of: string): number {
  return chance(seed, `warning ${what}`, kind.phenomenon[0], date, of)
}

function isShown({ kind }: Episode, { code }: AlertZone): boolean {
  return code === SHOWN_ZONE && kind.phenomenon[0] === 'VI'
}

/** Hours of a day on the clock of the zone; the end is a second before the hour. */
function spanOf({ kind, date }: Pick<Episode, 'kind' | 'date'>, { province_code }: AlertZone): { onset: number; expires: number } {
  const { start, end } = dayBounds(date, zoneOf(province_code))
  const [from, to] = kind.hours
  return { onset: start + from * HOUR, expires: (to === 24 ? end : start + to * HOUR) - 1000 }
}

function sizeOf({ values }: WarningKind, strength: number): Pick<Warning, 'level' | 'value'> {
  const level = strength >= RED_FROM ? 3 : strength >= ORANGE_FROM ? 2 : 1
  if (!values) return { level, value: null }
  const [from, to] = [values.of[level - 1] as number, values.of[Math.min(level, 2)] as number]
  return { level, value: Math.round(from + ((to - from) * ((strength * 100) % 1)) / 2) }
}

/** The zones of a community without warnings, in one message that each package repeats. */
function calmOf(episode: Episode, zones: readonly AlertZone[], instant: number): Warning {
  const { start, end } = dayBounds(episode.date, zoneOf((zones[0] as AlertZone).province_code))
  const about = { value: null, probability: '', onset: start, expires: end - 1000, updates: null, isWithdrawal: false }
  return { ...episode, zones, level: 0, ...about, sentAt: instant - MINUTE }
}
