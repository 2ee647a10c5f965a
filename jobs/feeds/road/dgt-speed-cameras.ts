import { speedCameras } from '../../../lake/datasets/road/cameras.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { locate } from '../../../lake/places/locate.ts'
import { resolvePlace } from '../../../lake/places/resolve.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { coordinatesOf, kilometreOf, provinceCodeOf, publicationElements } from '../../formats/datex2-payload.ts'
import { attribute, child, textAt, type XmlElement } from '../../formats/xml.ts'
import { bodyOf, type Diagnostics, defineFeed, lookUp } from '../define.ts'
import { presentRows } from '../presence.ts'
import { DIRECTIONS } from './dgt-codes.ts'
import { namedPlace } from './named-place.ts'

type SpeedCamera = FeedRow<typeof speedCameras>

/** Kinds of inventory, by the begin of ids. The publication states no type beside its set. */
const KINDS = { GUID_CABINACINEMOMETRO: 'FIXED', GUID_CVM: 'SECTION' } as const

/** Fields that at least one location of every publication has, by the publisher's names. */
const ALWAYS: Readonly<Record<string, (camera: SpeedCamera) => boolean>> = {
  roadNumber: ({ road }) => road !== null,
  referencePointDistance: ({ km }) => km !== null,
  pointCoordinates: ({ position }) => position !== null,
  provinceINEIdentifier: ({ province_code }) => province_code !== null,
  directionRelative: ({ direction }) => direction !== 'UNKNOWN',
}

/**
 * DGT's speed cameras: predefined locations of DATEX II v1.0, points and sections. Its publication time was the same for ten
 * months, so the fetch time counts.
 */
export const dgtSpeedCameras = defineFeed({
  id: 'dgt_speed_cameras',
  source: dgt,
  into: [speedCameras],
  every_s: 604_800,
  get: {
    name: 'locations',
    url: 'https://infocar.dgt.es/datex2/dgt/PredefinedLocationsPublication/radares/content.xml',
    maxBytes: 32_000_000,
    expects: 'xml',
  },
  bands: { speed_cameras: { atLeast: 1, minRatio: 0.8, maxRatio: 1000 } },
  freshBy: 'fetch',
  *rows(bodies, _clock, diagnostics) {
    // Its time is only read to be sure that it is a publication: it is not reported.
    const locations = publicationElements(bodyOf(bodies).bytes, { each: 'predefinedLocation', header: () => {} })
    const row = (location: XmlElement): SpeedCamera | null => cameraOf(location, diagnostics)
    yield* presentRows(speedCameras, locations, { what: 'locations', always: ALWAYS, row })
  },
})

/** The speed camera of a location; null without an id or a location, which is counted. */
function cameraOf(location: XmlElement, diagnostics: Diagnostics): SpeedCamera | null {
  const id = attribute(location, 'id')?.trim()
  const inner = child(location, 'predefinedLocation')
  if (!id || !inner) {
    diagnostics.reject(speedCameras, id ? 'camera without location' : 'camera without id', id ?? '')
    return null
  }
  const kind = id.replace(/_[^_]*$/, '')
  const section = child(inner, 'tpeglinearLocation')
  const type = lookUp(KINDS, kind) ?? (section ? 'SECTION' : 'FIXED')
  if (!Object.hasOwn(KINDS, kind)) diagnostics.unknownCode('dgt_speed_camera', kind)
  const ends = child(inner, 'referencePointLinear')
  const begin = referenceOf(ends ? child(ends, 'referencePointPrimaryLocation') : inner, diagnostics)
  const end = ends ? referenceOf(child(ends, 'referencePointSecondaryLocation'), diagnostics) : null
  const [position, to] = section
    ? [coordinatesOf(child(section, 'from')), coordinatesOf(child(section, 'to'))]
    : [coordinatesOf(child(inner, 'tpegpointLocation', 'point')), null]
  const place = resolvePlace({ provinceCode: begin.provinceCode, position }, (problem) => diagnostics.warn(problem))
  const name = textAt(location, 'predefinedLocationName', 'value')
  return {
    source: dgt.id,
    speed_camera_id: id,
    type,
    // Most names repeat the id.
    name: name !== null && id.endsWith(name) ? null : name,
    road: begin.road,
    km: begin.km,
    km_to: end?.km ?? null,
    direction: begin.direction === null ? 'UNKNOWN' : (lookUp(DIRECTIONS, begin.direction) ?? begin.direction),
    source_direction: begin.towards ?? end?.towards ?? null,
    lanes: null,
    speed_limit_kmh: null,
    ...namedPlace(place),
    to: to && locatedEnd(to, diagnostics),
  }
}

/** What a reference point of the publication states. */
function referenceOf(owner: XmlElement | undefined, diagnostics: Diagnostics) {
  const point = child(owner, 'referencePoint')
  const extension = child(point, 'referencePointExtension', 'ExtendedReferencePoint')
  return {
    road: textAt(point, 'roadNumber'),
    km: kilometreOf(point, diagnostics),
    direction: textAt(point, 'directionRelative'),
    towards: textAt(extension, 'directionNamed'),
    provinceCode: provinceCodeOf(extension),
  }
}

function locatedEnd(to: Point, diagnostics: Diagnostics): Point | null {
  const { position, problem } = locate(to)
  if (problem) diagnostics.warn(problem)
  return position
}
