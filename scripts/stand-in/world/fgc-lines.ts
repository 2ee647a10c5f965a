/** A station of FGC, under the code that timetables and trains share. */
export interface FgcStation {
  readonly code: string
  readonly lat: number
  readonly lon: number
}

/** A line: GTFS route type, stations in order, minutes between trains of a direction by day, and series of its units. */
export interface FgcLine {
  readonly name: string
  readonly type: number
  readonly stations: readonly FgcStation[]
  readonly headway_min: number
  readonly unitType: string
}

/** A position as [lon, lat]. */
type Place = readonly [number, number]

const BARCELONA: Place = [2.1684, 41.3856]
const ESPANYA: Place = [2.1485, 41.3748]
const SARRIA: Place = [2.1217, 41.3988]
const LLEIDA: Place = [0.6333, 41.6206]
/** Stations that all lines from one end in Barcelona share. */
const TRUNK = 5
/** Degrees between stations of a trunk, to the north-west. */
const TRUNK_STEP = 0.006

// Names of lines and kinds of units are facts; stations, numbers and times are invented.
const ROWS: readonly (readonly [
  name: string,
  type: number,
  count: number,
  headway_min: number,
  unitType: string,
  begin: Place,
  end: Place,
])[] = [
  ['S1', 2, 19, 10, '113', BARCELONA, [2.0086, 41.5716]],
  ['S2', 2, 18, 10, '115', BARCELONA, [2.0967, 41.5684]],
  ['L6', 1, 9, 6, '114', BARCELONA, [2.1205, 41.4]],
  ['L7', 1, 7, 8, '114', BARCELONA, [2.1336, 41.4103]],
  ['L12', 1, 2, 10, '114', SARRIA, [2.1138, 41.3952]],
  ['L8', 1, 11, 10, '213', ESPANYA, [2.0483, 41.3464]],
  ['S3', 2, 12, 30, '213', ESPANYA, [2.0283, 41.3653]],
  ['S4', 2, 20, 30, '213', ESPANYA, [1.9111, 41.4758]],
  ['S8', 2, 16, 30, '213', ESPANYA, [1.9256, 41.4766]],
  ['R5', 2, 28, 60, '213', ESPANYA, [1.8266, 41.7282]],
  ['R6', 2, 30, 60, '213', ESPANYA, [1.6191, 41.5806]],
  ['RL1', 2, 8, 60, '331', LLEIDA, [0.8104, 41.7911]],
  ['RL2', 2, 17, 120, '331', LLEIDA, [0.8945, 42.1664]],
]

/** The lines with trains that tell their position. */
export const FGC_LINES: readonly FgcLine[] = ROWS.map(([name, type, count, headway_min, unitType, begin, end], index) => ({
  ...{ name, type, headway_min, unitType },
  stations: Array.from({ length: count }, (_, at) => stationOf({ index, count, begin, end }, at)),
}))

interface Run {
  readonly index: number
  readonly count: number
  readonly begin: Place
  readonly end: Place
}

/** The station at a place of the line: along the trunk first, then straight to the end. */
function stationOf({ index, count, begin, end: [endLon, endLat] }: Run, at: number): FgcStation {
  const trunk = begin === BARCELONA ? 'B' : begin === ESPANYA ? 'E' : null
  const last = trunk === null ? 0 : TRUNK - 1
  const along = Math.min(at, last)
  const [lon, lat] = [begin[0] - TRUNK_STEP * along, begin[1] + TRUNK_STEP * along]
  if (trunk !== null && at <= last) return { code: codeOf(trunk, at), lat, lon }
  const share = (at - last) / (count - 1 - last)
  return { code: codeOf('FGHIJKLMNOPQR'.charAt(index), at), lat: lat + (endLat - lat) * share, lon: lon + (endLon - lon) * share }
}

/** An invented code: a letter for the line or trunk, and one for the place. */
function codeOf(letter: string, at: number): string {
  return letter + at.toString(36).toUpperCase()
}
