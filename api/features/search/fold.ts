import { foldName } from '../../../lake/places/names.ts'

/** Different spellings of one word, mapped to one of them: abbreviations, numerals, other languages. */
const SAME: Readonly<Record<string, string>> = {
  av: 'avenida',
  avd: 'avenida',
  avda: 'avenida',
  avinguda: 'avenida',
  etorbidea: 'avenida',
  cl: 'calle',
  carrer: 'calle',
  rua: 'calle',
  kalea: 'calle',
  cr: 'carretera',
  ctra: 'carretera',
  crta: 'carretera',
  cn: 'carretera',
  errepidea: 'carretera',
  estrada: 'carretera',
  pza: 'plaza',
  pl: 'plaza',
  placa: 'plaza',
  praza: 'plaza',
  pg: 'paseo',
  po: 'paseo',
  passeig: 'paseo',
  pol: 'poligono',
  poligon: 'poligono',
  ind: 'industrial',
  sta: 'santa',
  sto: 'santo',
  sn: 'san',
  s: 'san',
  sant: 'san',
  sra: 'senora',
  ntra: 'nuestra',
  vva: 'villanueva',
  gta: 'glorieta',
  rda: 'ronda',
  cno: 'camino',
  urb: 'urbanizacion',
  hosp: 'hospital',
  univ: 'universidad',
  fco: 'francisco',
  est: 'estacion',
  estacio: 'estacion',
  estacions: 'estaciones',
  geltokia: 'estacion',
  station: 'estacion',
  airport: 'aeropuerto',
  aeroport: 'aeropuerto',
  aireportua: 'aeropuerto',
  aeroporto: 'aeropuerto',
  port: 'puerto',
  pto: 'puerto',
  porto: 'puerto',
  nord: 'norte',
  iparra: 'norte',
  sud: 'sur',
  hegoa: 'sur',
  portua: 'puerto',
  bcn: 'barcelona',
  barna: 'barcelona',
  vlc: 'valencia',
  zgz: 'zaragoza',
  donosti: 'donostia',
  tfe: 'tenerife',
}

/** A code in comparable form: without case, accents, spaces and punctuation. */
export function foldCode(text: string): string {
  return foldName(text).replaceAll(' ', '')
}

/** The name of a town in comparable form, from its words in any order. */
export function townName(words: readonly string[]): string {
  return words.toSorted().join(' ')
}

/** Words that are too common to search for. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a al d da das de del do dos e el els en et i l la las les lo los na o of os per por the un una y'.split(' '),
)

/** Words before a number that do not make it a road name: `km 12`, `nº 3`. */
const NO_ROAD: ReadonlySet<string> = new Set(['km', 'pk', 'no', 'num', 'de', 'del', 'el', 'la', 'los', 'las', 'en', 'y'])
/** Prefixes of road designations, by the word for the kind of road: `nacional 340` is `n340`. */
const ROAD_KINDS: Readonly<Record<string, string>> = { nacional: 'n', autovia: 'a', autopista: 'ap' }
const ROMAN: Readonly<Record<string, string>> = { i: '1', ii: '2', iii: '3', iv: '4', v: '5', vi: '6' }

/** Returns the words of a text in order, normalized. A road designation is one word: `A-6` and `A 6` are `a6`, `N-II` is `n2`. */
export function wordsOf(text: string): string[] {
  const folded = foldName(text)
  if (folded === '') return []
  const parts = folded.split(' ')
  const words: string[] = []
  for (let at = 0; at < parts.length; at++) {
    const [part, next] = [parts[at] as string, parts[at + 1]]
    const number =
      next === undefined ? undefined : part === 'n' && ROMAN[next] ? ROMAN[next] : /^\d{1,4}[a-z]?$/.test(next) ? next : undefined
    // `km 5,6 a 7` is no A-7.
    const isTo = part === 'a' && /^\d+$/.test(parts[at - 1] ?? '')
    const prefix = isTo ? undefined : (ROAD_KINDS[part] ?? (/^[a-z]{1,3}$/.test(part) && !NO_ROAD.has(part) ? part : undefined))
    if (number !== undefined && prefix !== undefined) {
      words.push(prefix + number)
      at++
    } else words.push(SAME[part] ?? part)
  }
  const searched = words.filter((word) => !STOP_WORDS.has(word))
  return searched.length > 0 ? searched : words
}

/**
 * Returns a phonetic key: spellings of the same sound in Spanish, Catalan, Basque and Galician have the same key (`Txamartin`,
 * `Catalunya`, `Xixón`, `Cordova`). Silent letters are dropped, double letters are single.
 */
export function soundOf(word: string): string {
  if (/\d/.test(word)) return word
  return word
    .replace(/ny/g, 'n')
    .replace(/t[xs]|ch/g, 'X')
    .replace(/tz/g, 's')
    .replace(/qu(?=[ei])|k/g, 'c')
    .replace(/g(?=[ei])|x/g, 'j')
    .replace(/gu(?=[ei])/g, 'g')
    .replace(/c(?=[ei])|z/g, 's')
    .replace(/[vw]/g, 'b')
    .replace(/h/g, '')
    .replace(/ll/g, 'y')
    .replace(/(.)\1+/g, '$1')
}

/** Returns how many typos a word may have: none if it is short or has digits, two if it is long. */
export function typosOf(word: string): 0 | 1 | 2 {
  if (word.length < 4 || /\d/.test(word)) return 0
  return word.length < 8 ? 1 : 2
}
