/** Spellings of one word that both documents and queries use, as one of them: abbreviations, numerals, other languages. */
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
  sant: 'san',
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

/** Words that tell nothing apart. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a al d da das de del do dos e el els en et i l la las les lo los na o of os per por the un una y'.split(' '),
)

/** What stands before a number without being a road: `km 12`, `nº 3`. */
const NO_ROAD: ReadonlySet<string> = new Set(['km', 'pk', 'no', 'num', 'de', 'del', 'el', 'la', 'los', 'las', 'en', 'y'])
/** What roads of a kind begin with, where a number follows the kind. */
const ROAD_KINDS: Readonly<Record<string, string>> = { nacional: 'n', autovia: 'a', autopista: 'ap' }
const ROMAN: Readonly<Record<string, string>> = { i: '1', ii: '2', iii: '3', iv: '4', v: '5', vi: '6' }

/** A text in lower case without accents, punctuation as blanks: `L'Hospitalet` is `l hospitalet`, `l·l` is `ll`, `ñ` is `n`. */
export function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\p{M}·]+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
}

/** The words of a text as they are compared, in their order. A road designation is one word: `A-6`, `A 6` and `N-II` are `a6` and `n2`. */
export function wordsOf(text: string): string[] {
  const folded = fold(text)
  if (folded === '') return []
  const parts = folded.split(' ')
  const words: string[] = []
  for (let at = 0; at < parts.length; at++) {
    const [part, next] = [parts[at] as string, parts[at + 1]]
    const number =
      next === undefined ? undefined : part === 'n' && ROMAN[next] ? ROMAN[next] : /^\d{1,4}[a-z]?$/.test(next) ? next : undefined
    const prefix = ROAD_KINDS[part] ?? (/^[a-z]{1,3}$/.test(part) && !NO_ROAD.has(part) ? part : undefined)
    if (number !== undefined && prefix !== undefined) {
      words.push(prefix + number)
      at++
    } else words.push(SAME[part] ?? part)
  }
  const telling = words.filter((word) => !STOP_WORDS.has(word))
  return telling.length > 0 ? telling : words
}

/**
 * How a word sounds: the spellings of Spanish, Catalan, Basque and Galician for one sound are one (`Txamartin`, `Catalunya`, `Xixón`,
 * `Cordova`), and a letter that is not heard or written twice is written once or not at all.
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

/** Most letters that a word of the query may be off: none of a short one or one with digits, two of a long one. */
export function typosOf(word: string): 0 | 1 | 2 {
  if (word.length < 4 || /\d/.test(word)) return 0
  return word.length < 8 ? 1 : 2
}
