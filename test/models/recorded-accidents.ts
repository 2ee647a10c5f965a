import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Feed } from '../../jobs/feeds/define.ts'
import { barcelonaAccidents } from '../../jobs/feeds/safety/barcelona-accidents.ts'
import { madridAccidents } from '../../jobs/feeds/safety/madrid-accidents.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import type { roadAccidents } from '../../lake/datasets/safety/road-accidents.ts'
import { pointToUtm } from '../../lake/places/utm.ts'
import type { Row } from '../../lake/schema/dataset.ts'
import type { Mark } from '../../models/hotspots/density.ts'
import { type HotspotSet, hotspotSets } from '../../models/hotspots/sets.ts'

type Accident = Row<typeof roadAccidents>

/**
 * The recorded files of the cities whose accidents have positions, one per year, the oldest first, and the UTM zone of the city.
 */
export const CITIES = {
  madrid: {
    ...{ feed: madridAccidents, folder: 'madrid-accidentes', zone: 30 },
    files: ['2020_Accidentalidad.xlsx', '2024_Accidentalidad_parcial.csv.gz', '2025_Accidentalidad_ene-abr.csv.gz'],
  },
  barcelona: {
    ...{ feed: barcelonaAccidents, folder: 'barcelona-accidentes', zone: 31 },
    files: ['2012_accidents_gu_bcn.csv.gz', '2019_accidents_gu_bcn.csv.gz', '2022_accidents_gu_bcn.csv.gz'],
  },
} as const
export type City = keyof typeof CITIES

/** The bytes of a recorded file of a city, unpacked; `shared` is the folder of the recordings. */
export function recordedBytes(shared: string, city: City, file: string): Buffer {
  const bytes = readFileSync(join(shared, 'feeds', CITIES[city].folder, file))
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

/** The accidents of all recorded files of a city, as its feed reads them. */
export async function recordedAccidents(shared: string, city: City): Promise<Accident[]> {
  const feed: Feed = CITIES[city].feed
  const found: Accident[] = []
  for (const file of CITIES[city].files) {
    const body = { name: 'accidents', bytes: recordedBytes(shared, city, file) }
    const { rows } = await parsePublication(feed, [body], Date.UTC(2026, 10, 1), { keeps: () => true })
    found.push(...([...rows.values()].flat() as unknown as Accident[]))
  }
  return found
}

const WEIGHTS: Readonly<Record<string, number>> = { FATAL: 5, SERIOUS: 3 }

/**
 * The set of a name (`madrid.gaussian.100.none`) from accidents, its accidents with victims, and the located ones, also as marks.
 */
export function recordedSet(
  accidents: readonly Accident[],
  name: string,
): { readonly set: HotspotSet; readonly given: Accident[]; readonly located: Accident[]; readonly marks: Mark[] } {
  const set = hotspotSets([...new Set(accidents.map(({ edition }) => edition))]).find((one) => one.name === name)
  if (!set) throw new Error(`no set has the name ${name}`)
  const given = accidents.filter((one) => one.is_casualty && set.editions.includes(one.edition))
  const located = given.filter(({ position }) => position !== null)
  const marks = located.map(({ position, severity }) => {
    const { easting_m: x, northing_m: y } = pointToUtm(position as NonNullable<typeof position>, CITIES[set.source as City].zone)
    return { x, y, weight: set.weighting === 'SEVERITY' ? (WEIGHTS[severity] ?? 1) : 1 }
  })
  return { set, given, located, marks }
}
