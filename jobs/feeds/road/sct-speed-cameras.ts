import { speedCameras } from '../../../lake/datasets/road/cameras.ts'
import { sct } from '../../../lake/datasets/road/sources.ts'
import { utmToPoint } from '../../../lake/places/utm.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { decimalNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Diagnostics, type Feed, type FeedBody, FormatError } from '../define.ts'
import type { RawRecord } from '../kit/binder.ts'
import { type RecordFile, recordFeed } from '../kit/record-feed.ts'
import { namedPlace } from './named-place.ts'

/** ETRS89 / UTM 31N coordinates of Catalonia, m. */
const UTM_ZONE = 31
const EASTING = { least: 250_000, most: 530_000, digits: 6 } as const
const NORTHING = { least: 4_480_000, most: 4_760_000, digits: 7 } as const

const HEADER = /^\s*Via\s+PK\s+Velocitat\s+X\s+Y\s*$/
/** A line of either file: columns of a fixed width or between tabs. Roads may contain a blank, and ranges of kilometres too. */
const LINE = /^(\S.{0,30}?)\s+(\d[\d,]{0,9}(?:\s?-\s?\d[\d,]{0,9})?)\s+(\d{1,3})(?:\s+(\S{1,30}))?(?:\s+(\S{1,30}))?\s*$/
const NAMES = ['road', 'km', 'limit', 'x', 'y', 'id'] as const
/** A carriageway after the designation, in small letters: `C-32 nord`. */
const CARRIAGEWAY = /^(.*\S)\s+(\p{Ll}+)$/u
const CARRIAGEWAYS: ReadonlySet<string> = new Set(['nord', 'sud', 'est', 'oest'])

/** A list of the Servei Català de Trànsit. */
interface List {
  readonly id: string
  readonly file: string
  /** Begin of ids, so that both lists can have a camera at one kilometre. */
  readonly prefix: string
  /** The type of a camera; `isSection` for a range of kilometres. */
  readonly typeOf: (isSection: boolean) => 'FIXED' | 'SECTION' | 'MOBILE_SITE'
}

function speedCameraFeed({ id, file, prefix, typeOf }: List): Feed {
  const url = `https://transit.gencat.cat/web/.content/documents/seguretat_viaria/${file}`
  return recordFeed(
    {
      id,
      source: sct,
      into: speedCameras,
      every_s: 86_400,
      get: { name: 'list', url, accept: 'text/plain', maxBytes: 2_000_000, timeout_ms: 30_000, expects: 'csv' },
      band: { atLeast: 1 },
      freshBy: 'fetch',
      decimal: 'comma',
      columns: { road: 'road', km: 'km', limit: 'limit', x: 'x', y: 'y', id: 'id' },
      needs: ['road', 'km', 'id'],
      requireAny: { 'a position in Catalonia': ({ position }) => position !== null },
      row: (r) => {
        const [km, km_to = null] = r
          .text('km')
          .split('-')
          .map((text) => decimalNumber(text, ',')) as [number, number?]
        const [, road = r.text('road'), carriageway = null] = CARRIAGEWAY.exec(r.text('road')) ?? []
        if (carriageway !== null && !CARRIAGEWAYS.has(carriageway)) r.unknownCode('sct_carriageway', carriageway)
        return {
          source: sct.id,
          speed_camera_id: `${prefix}${r.text('id')}`,
          type: typeOf(km_to !== null),
          name: null,
          road,
          km,
          km_to,
          direction: km_to === null || km_to === km ? 'UNKNOWN' : km_to > km ? 'POSITIVE' : 'NEGATIVE',
          source_direction: carriageway,
          lanes: null,
          speed_limit_kmh: r.integer('limit'),
          ...namedPlace(r.place({ position: positionOf(r.text('x'), r.text('y'), (text) => r.warn(text)) })),
          // The only position of a section is at one of its ends, and not always at the same.
          to: null,
        }
      },
    },
    (bodies, diagnostics) => bodies.map((body) => read(body, diagnostics)),
  )
}

/** Fixed cameras and sections of average speed, in columns of a fixed width. */
export const sctSpeedCameras = speedCameraFeed({
  ...{ id: 'sct_speed_cameras', file: 'radars.txt', prefix: '' },
  typeOf: (isSection) => (isSection ? 'SECTION' : 'FIXED'),
})

/** Sites of cameras on trailers, between tabs. */
export const sctMobileSites = speedCameraFeed({
  ...{ id: 'sct_mobile_speed_cameras', file: 'radars-remolc.txt', prefix: 'trailer_' },
  typeOf: () => 'MOBILE_SITE',
})

/** The lines of a list, with ids. Throws `FormatError` without the header or the end of the last line. */
function read({ name, bytes }: FeedBody, diagnostics: Diagnostics): RecordFile {
  const text = decodeText(bytes)
  const lines = text.split(/\r\n|[\r\n]/)
  const header = lines.findIndex((line) => HEADER.test(line))
  if (header < 0) throw new FormatError(`${name} has no header Via, PK, Velocitat, X, Y`)
  if (!/[\r\n]\s*$/.test(text)) throw new FormatError(`${name} is cut off: its last line has no end`)
  const cells: string[][] = []
  const misshapen: string[] = []
  for (const line of new Set(lines.slice(header + 1).filter((one) => one.trim() !== ''))) {
    const found = LINE.exec(line)
    if (found) cells.push(found.slice(1).map((cell = '') => cell.trim()))
    else misshapen.push(line)
  }
  const repeated = lines.slice(header + 1).filter((one) => one.trim() !== '').length - cells.length - misshapen.length
  for (let nth = 0; nth < repeated; nth++) diagnostics.warn('a line that repeats another: left out')
  return { name, header: NAMES, records: withIds(cells), misshapen }
}

/**
 * Adds ids: road and kilometres, and a number for each further camera there, in order of limit and position. So an id depends
 * neither on the order of lines nor on other places.
 */
function withIds(cells: readonly string[][]): RawRecord[] {
  const places = Map.groupBy(cells, ([road = '', km = '']) =>
    `${road}_${km}`
      .replaceAll(/\s*-\s*(?=[\d,]+$)/g, '-')
      .replaceAll(' ', '-')
      .replaceAll(',', '.'),
  )
  return [...places].flatMap(([place, here]) =>
    here
      .toSorted((one, other) => Number(one[2]) - Number(other[2]) || (one.join(' ') < other.join(' ') ? -1 : 1))
      .map((values, at) => ({ names: NAMES, values: [...values, at === 0 ? place : `${place}_${at + 1}`] })),
  )
}

/** The position of UTM coordinates; null, reported, if they are not in Catalonia even with the comma that some have lost. */
function positionOf(x: string | null, y: string | null, warn: (text: string) => void): Point | null {
  const [easting_m, northing_m] = [metresOf(x, EASTING), metresOf(y, NORTHING)]
  if (easting_m === null || northing_m === null) {
    warn('X and Y are no position in Catalonia: left out')
    return null
  }
  if (!x?.includes(',') || !y?.includes(',')) warn('X or Y has lost its comma: mended')
  return utmToPoint(easting_m, northing_m, UTM_ZONE)
}

/** A coordinate in its range. A longer number without a comma has lost it: only one place for it can be in the range. */
function metresOf(text: string | null, { least, most, digits }: typeof EASTING | typeof NORTHING): number | null {
  const isIn = (metres: number): boolean => metres >= least && metres <= most
  if (text === null) return null
  const stated = decimalNumber(text, ',')
  if (isIn(stated)) return stated
  if (!/^\d+$/.test(text) || text.length <= digits) return null
  const mended = Number(text) / 10 ** (text.length - digits)
  return isIn(mended) ? mended : null
}
