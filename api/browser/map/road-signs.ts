/** Colours of the sign of a road: ground, letters, and the line along its edge. */
interface Look {
  readonly ground: string
  readonly letters: string
  readonly edge: string
}

const BLUE: Look = { ground: '#0a4ea3', letters: '#ffffff', edge: '#ffffff' }
const RED: Look = { ground: '#c8102e', letters: '#ffffff', edge: '#ffffff' }
const GREEN: Look = { ground: '#00703c', letters: '#ffffff', edge: '#ffffff' }
const ORANGE: Look = { ground: '#f08a1d', letters: '#1a1208', edge: '#ffffff' }
const YELLOW: Look = { ground: '#f7cf1b', letters: '#1a1a1a', edge: '#1a1a1a' }
const WHITE: Look = { ground: '#ffffff', letters: '#1a1a1a', edge: '#4a5763' }

/** Ring roads of cities, such as the M-30, and the motorways of the state along the coast at Barcelona. */
const RINGS = /^([A-Z]{1,2}-\d0|C-3[1-3])$/
/** Names of the state's motorways have one or two digits; with three or more the road is of a region or province. */
const STATE = /^(AP|A|R)-\d{1,2}\D*$/

/** Returns the colours of a Spanish road's sign by its name (Norma 8.1-IC): state motorways blue, national roads red, … */
export function shieldOf(road: string): Look {
  if (/^E-?\d/.test(road)) return GREEN
  if (STATE.test(road) || RINGS.test(road)) return BLUE
  if (/^N-/.test(road)) return RED
  const digits = /\d+/.exec(road)?.[0].length ?? 0
  if (digits === 0) return WHITE
  return digits <= 2 ? ORANGE : digits === 3 ? GREEN : YELLOW
}
