import { between, chance, hash } from '../random.ts'
import { railNetwork } from './rail-network.ts'
import type { CommuterLine } from './rail-parts.ts'
import type { World } from './world.ts'

/** An alert of Renfe. */
export interface RailNotice {
  readonly index: number
  readonly isInformation: boolean
  readonly number: number
  /** Ms; there is no end. */
  readonly startsAt: number
  readonly lines: readonly CommuterLine[]
  /** Set if it is about one station and no line. */
  readonly stopId: string | null
  readonly texts: readonly { readonly language: string; readonly text: string }[]
}

const DAY = 86_400_000
/** Languages besides Spanish, by núcleo. */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = { '51': ['ca', 'en'], '60': ['eu'], '61': ['eu'], '40': ['ca'] }
const CAUSES = [
  'obras de mejora en la infraestructura',
  'trabajos en la catenaria',
  'obras en la estación',
  'la avería de un tren',
] as const
const EFFECTS = [
  'los trenes no prestan servicio entre las dos últimas estaciones; hay un servicio especial de autobuses',
  'los trenes de fin de semana salen de la vía 1',
  'se reajusta el servicio de trenes',
  'los aseos permanecen inoperativos',
] as const
const OTHERS: Readonly<Record<string, string>> = {
  ca: "Per obres, el servei de trens s'ha reajustat.",
  en: 'Because of works, the train service is changed.',
  eu: 'Lanak direla eta, tren zerbitzua aldatu egin da.',
}

/** The alerts published at an instant (ms), about 70 in the whole country; each lasts for one to twelve weeks. */
export function noticesAt(world: World, instant: number): RailNotice[] {
  const lines = world.part(railNetwork).nucleos.flatMap((nucleo) => nucleo.lines)
  const count = world.scale === 'full' ? 70 : 8
  return Array.from({ length: count }, (_, index) => noticeOf(world.seed, lines, { index, instant }))
}

function noticeOf(seed: number, lines: readonly CommuterLine[], about: { readonly index: number; readonly instant: number }): RailNotice {
  const { index, instant } = about
  // Each alert is followed by the next, so that their number is constant.
  const length = between(7, 84, chance(seed, 'notice length', index)) * DAY
  const shift = Math.floor(chance(seed, 'notice shift', index) * length)
  const life = Math.floor((instant + shift) / length)
  const line = lines[hash(seed, 'notice line', index, life) % lines.length] as CommuterLine
  const isStation = index % 6 === 1
  const isOfTwo = index % 20 === 7
  const other = lines[hash(seed, 'notice other', index, life) % lines.length] as CommuterLine
  return {
    index,
    isInformation: isStation,
    number: 400_000 + (hash(seed, 'notice number', index, life) % 110_000),
    startsAt: Math.floor((life * length - shift) / 60_000) * 60_000,
    lines: isStation ? [] : isOfTwo ? [line, other] : [line],
    stopId: isStation ? (line.stations[0]?.code ?? null) : null,
    texts: textsOf(seed, { index, life, line, isStation }),
  }
}

function textsOf(
  seed: number,
  about: { readonly index: number; readonly life: number; readonly line: CommuterLine; readonly isStation: boolean },
): { readonly language: string; readonly text: string }[] {
  const { index, life, line, isStation } = about
  const word = <T>(words: readonly T[], what: string): T => words[hash(seed, what, index, life) % words.length] as T
  const tag = line.nucleo === '10' && !isStation ? `#Mad${line.name.replace(/[ab]$/, '')} ` : ''
  const end = index % 2 === 0 ? ' ' : ''
  const spanish = isStation
    ? `La estación, en estos momentos, se encuentra inaccesible.${end}`
    : `${tag}Por ${word(CAUSES, 'notice cause')}, en la línea ${line.name} ${word(EFFECTS, 'notice effect')}.${end}`
  const texts = [{ language: 'es', text: spanish }]
  for (const language of LANGUAGES[line.nucleo] ?? []) texts.push({ language, text: `${tag}${OTHERS[language]}` })
  if (index % 15 === 4) texts.push({ language: 'es', text: spanish })
  return texts
}
