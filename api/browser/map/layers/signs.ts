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

/** Outlines of signs in a square of 32, solid in the middle; those that are turned point north. */
export const SIGNS = {
  arrow: 'M16 3 25 27 16 22 7 27Z',
  plane:
    'M16 2c1.6 0 2.3 2 2.3 4.4V12l10.2 6.6v3l-10.2-3.2v6l3.2 2.6v2.2L16 27.8l-5.5 1.4V27l3.2-2.6v-6L3.5 21.6v-3L13.7 12V6.4C13.7 4 14.4 2 16 2Z',
  warning: 'M16 4.5q1.4 0 2.1 1.3l10 18q1.5 3.2-1.9 3.2H5.8q-3.4 0-1.9-3.2l10-18Q14.6 4.5 16 4.5Z',
  beacon: 'M6 28v-4.5h3V17a7 7 0 0 1 14 0v6.5h3V28ZM14.7 3h2.6v4.5h-2.6ZM4.2 8.3 6 6.5l3.2 3.2-1.8 1.8ZM27.8 8.3 26 6.5l-3.2 3.2 1.8 1.8Z',
  board: 'M4 6h24v15H18v7h-4v-7H4Z',
  camera: 'M6 9h13q2 0 2 2v2.5L28 9.5v13L21 18.5V21q0 2-2 2H6q-2 0-2-2V11q0-2 2-2Z',
  radar: 'M8 4h16v19h-5.5v5h-5v-5H8ZM16 6.5a3.2 3.2 0 1 0 .01 0Z',
  train:
    'M11 4h10q4 0 4 4v12q0 3-3 3.7L25 28h-4.2L18.5 24h-5L11.2 28H7l3-4.3Q7 23 7 20V8q0-4 4-4ZM10 7.5V13h12V7.5ZM11.5 17.5a1.7 1.7 0 1 0 .01 0ZM20.5 17.5a1.7 1.7 0 1 0 .01 0Z',
  pump: 'M7 4h11q2 0 2 2v8h1q2.5 0 2.5 2.5V22q0 1 .8 1t.7-1V14l-3-3 1.6-1.8L27 12.5q.5.5.5 1.5v8q0 3.5-3.2 3.5T21 22v-5.5h-1V28H5V6q0-2 2-2ZM8.5 7.5v5h8v-5Z',
  plug: 'M10 3.5h3.2V10h5.6V3.5H22V10h2.5v6q0 6.5-6.7 7.8v4.7h-3.6v-4.7Q7.5 22.5 7.5 16v-6H10Z',
} as const
