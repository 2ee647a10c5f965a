/** The road location of an address; null for anything missing or ambiguous. */
export interface RoadPlace {
  /** Designation as the traffic authority writes it: N-340, N-340A, SA-CV-70; N-II is N-2. */
  readonly road: string | null
  /** Kilometre post; only with a road. */
  readonly km: number | null
}

const NOWHERE: RoadPlace = Object.freeze({ road: null, km: null })

/** Prefixes of road designations: of the State, regions, provinces and islands. */
const NETWORKS: ReadonlySet<string> = new Set(
  (
    'A AP N R AB AC AG AI AL AS AV B BA BAV BI BP BU BV C CA CC CL CM CO CP CR CS CU CV DP DSA EI EP EX F FE FV GC GE GI GIP GIV GM GR GU ' +
    'H HU HV J JA JV L LC LE LL LO LP LR LU LV LZ M MA ME MU MV NA O OR OU P PM PMV PO PP RM S SA SC SE SG SO T TE TF TO TP TV V VA VG VP ' +
    'VV Z ZA'
  ).split(' '),
)
/** Numbers of the national roads that leave Madrid; the traffic authority writes N-2 for N-II. */
const RADIALS: readonly string[] = ['I', 'II', 'III', 'IV', 'V', 'VI']

/**
 * The start of a road address: the kind of road, once or twice (`CARRETERA CR N-330`), a European number (`E-5/A-4`), and the
 * designation, or the word for a national road and its number.
 */
const HEAD =
  /^((?:(?:CARRETERA|CTRA|CRTA|CRTRA|CR|ESTRADA|AUTOV[IÍ]A|AUTOPISTA|AU|AT)(?:[.,]+\s*|\s+))*)(?:E-?\d{1,3}\s?[/-]\s?)?(?:((?:NACIONAL|NAC|NAL|CN)[.\s-]+)(?:N[.\s-]*)?|(?!(?:CR|AU|AT)\s)([A-Z]{1,3}(?:-(?:P|V|CV|BU)(?=-?\d))?)(\s?[-.]\s?|\s?))(\d{1,4}|VI|IV|V|I{1,3})(?:-?([A-Z]))?(?![A-Z0-9ÁÉÍÓÚÑÇ+/º'’]|\.\d)/
/** Designations further on. */
const OTHERS = /(?<![A-Z0-9-])([A-Z]{1,3})-(\d{1,4}|VI|IV|V|I{1,3})([A-Z]?)(?![A-Z0-9])/g
/** A kilometre post, and its possible ambiguity: `KM 17, 5` may be 17.5 or number 5 at km 17. */
const POST = /(?<![A-Z])(?:K\.?M|P\.?K)[.,:\s-]*(\d{1,4}(?:[.,]\d{1,3}|\+\d{3})?)(?![\d+])(\s*,\s*\d)?/g
/** A post without the word, in the place of a house number; it has decimals, which house numbers lack. */
const BARE_POST = /^[,\s]+(\d{1,4}[.,]\d{1,3})$/

/** No road of Spain is longer than the N-340. */
const LONGEST_KM = 1250

/** Parsed addresses: nearly all come again in the next publication. */
const known = new Map<string, RoadPlace>()
const REMEMBERED = 20_000

/**
 * The road and kilometre of a station's address, such as `CARRETERA N-110 KM. 382,400`, in the order of the ministry's form:
 * kind of road, then designation. Two roads give no road, two kilometres no km. A km of 0 (meaning none) or equal to the
 * road's number is dropped.
 */
export function roadPlace(address: string): RoadPlace {
  let place = known.get(address)
  if (!place) {
    place = readAddress(address)
    if (known.size >= REMEMBERED) known.clear()
    known.set(address, place)
  }
  return place
}

function readAddress(address: string): RoadPlace {
  const text = address.toUpperCase().trim()
  const head = HEAD.exec(text)
  if (!head) return NOWHERE
  const [whole, kinds, national = '', letters = 'N', joint = '', number = '', suffix = ''] = head
  const road = designation(letters, number, suffix)
  if (road === null) return NOWHERE
  const rest = text.slice(whole.length)
  if (rest.includes('-') && namesAnother(rest, road)) return NOWHERE
  const km = postOf(rest, number)
  // Without a word for road, `P-4, PARCELA 3` looks like one.
  return kinds !== '' || national !== '' || (joint.trim() === '-' && km !== null) ? { road, km } : NOWHERE
}

function designation(letters: string, number: string, suffix: string): string | null {
  const infix = letters.indexOf('-')
  if (!NETWORKS.has(infix === -1 ? letters : letters.slice(0, infix))) return null
  const value = Number(number)
  if (!Number.isNaN(value)) return `${letters}-${value}${suffix}`
  const radial = RADIALS.indexOf(number) + 1
  return letters === 'N' && radial > 0 ? `N-${radial}${suffix}` : null
}

function namesAnother(rest: string, road: string): boolean {
  for (const [, letters = '', number = '', suffix = ''] of rest.matchAll(OTHERS)) {
    const other = designation(letters, number, suffix)
    if (other !== null && other !== road) return true
  }
  return false
}

function postOf(rest: string, number: string): number | null {
  let km: number | null = null
  POST.lastIndex = 0
  for (let post = POST.exec(rest); post; post = POST.exec(rest)) {
    const found = kilometres(post[1] as string)
    if (post[2] !== undefined || (km !== null && km !== found)) return null
    km = found
  }
  km ??= kilometres(BARE_POST.exec(rest)?.[1] ?? '0')
  return km > 0 && km <= LONGEST_KM && km !== Number(number) ? km : null
}

function kilometres(text: string): number {
  return Number(text.replace(',', '.').replace('+', '.'))
}
