import { foldName } from '../../../lake/places/names.ts'
import { LISTED_PORTS } from '../../../lake/places/ports.ts'
import { keptOf, type Variant } from '../publisher.ts'
import { chance } from '../random.ts'

const COLUMNS = [
  'World Port Index Number,Region Name,MAIN_PORT_NAME,Alternate Port Name,UN/LOCODE,Country Code,World Water Body,Tidal Range (m),Channel Depth (m)',
  'Anchorage Depth (m),Cargo Pier Depth (m),Harbor Size,Harbor Type,Facilities - Ro-Ro,Supplies - Fuel Oil,Supplies - Diesel Oil,LATITUDE,LONGITUDE',
]
  .join()
  .split(',')
/** Ports of other countries; the real index has some 3,770. */
const OTHERS = { full: 3770, small: 100 } as const
const COUNTRIES = ['France', 'Portugal', 'Italy', 'Morocco', 'Norway', 'United States', 'Japan'] as const
const SIZES = ['Very Small', 'Small', 'Medium', 'Large'] as const

/** The input of an index. */
interface IndexOptions {
  readonly seed: number
  readonly scale: keyof typeof OTHERS
  /** Number of the publication: each lacks a different foreign port. */
  readonly edition: number
  readonly variant: Variant
}

/**
 * The World Port Index: names without accents, codes with a blank, positions rounded to the minute, `Unknown` and 0 for missing
 * data. It lacks the ports of our list that are not `isIndexed`.
 */
export function worldPortIndexCsv({ seed, scale, edition, variant }: IndexOptions): string {
  const indexed = LISTED_PORTS.filter(({ isIndexed }) => isIndexed)
  const spanish = keptOf(indexed, variant).map(({ id, name, position }, nth) => ({
    ...{ number: 37_270 + 10 * nth, name: plainName(name), locode: `ES ${id.slice(2)}`, country: 'Spain', ...position },
  }))
  const others = Array.from({ length: OTHERS[scale] }, (_, nth) => ({
    ...{ number: 50_000 + 10 * nth, name: `Example Harbor ${nth}`, locode: ' ', country: COUNTRIES[nth % COUNTRIES.length] as string },
    ...{ lat: 90 * chance(seed, 'port lat', nth), lon: 180 * chance(seed, 'port lon', nth) },
  }))
  const lines = [...spanish, ...others.filter((_, nth) => nth !== edition % OTHERS[scale])].map(
    ({ number, name, locode, country, lat, lon }) => {
      const draw = (word: string): number => chance(seed, 'port', word, number)
      const metres = (word: string, most: number): string => (draw(word) < 0.2 ? '0' : (most * draw(word)).toFixed(1))
      const yes = (word: string): string => (draw(word) < 0.7 ? 'Yes' : 'Unknown')
      const size = SIZES[Math.floor(SIZES.length * draw('size'))] as string
      const values = [number, ' ', name, ' ', locode, country, 'Example Sea', metres('tide', 5), metres('channel', 20)]
      values.push(metres('anchorage', 23), metres('pier', 20), size, 'Coastal (Breakwater)', 'Unknown', yes('fuel'), yes('diesel'))
      return [...values, toMinute(lat), toMinute(lon), ...(variant.hasUnknownCodes ? ['1'] : [])].join()
    },
  )
  return [[...COLUMNS, ...(variant.hasUnknownCodes ? ['Berths'] : [])].join(), ...lines, ''].join('\n')
}

function plainName(name: string): string {
  return foldName(name).replace(/(^| )\w/g, (letter) => letter.toUpperCase())
}

function toMinute(degrees: number): string {
  return String(Math.round((Math.round(degrees * 60) * 1e6) / 60) / 1e6)
}
