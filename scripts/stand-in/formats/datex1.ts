import type { DgtSpeedCamera } from '../world/cameras.ts'
import type { Detector, Measurement } from '../world/detectors.ts'
import { isoLocal } from '../world/rhythm.ts'
import type { RoadPoint } from '../world/road-network.ts'
import { type Xml, xmlOf } from './xml.ts'

const SCHEMA = 'http://datex2.eu/schema/1_0/1_0'
const POINT = '_0:TPEGNonJunctionPoint'

/** The options of a document: its time in ms, and whether one record in forty has an unknown code. */
interface Options {
  readonly publishedAt: number
  readonly hasUnknownCodes: boolean
}

/**
 * A publication of DATEX II 1.0 in the national access point. Its elements have the prefix `_0:`, but the root declares the
 * same namespace without one.
 */
export function datex1Publication(
  {
    type,
    publishedAt,
    creator,
    namespaces = '',
  }: {
    readonly type: string
    readonly publishedAt: number
    readonly creator: string
    /** Other namespaces, which no element uses. */
    readonly namespaces?: string
  },
  content: Readonly<Record<string, Xml>>,
): string {
  const publicationCreator = { country: 'es', nationalIdentifier: creator }
  const payload = xmlOf({ publicationTime: isoLocal(publishedAt), publicationCreator, ...content }, '_0:')
  return [
    `<?xml version="1.0" encoding="UTF-8"?><d2LogicalModel modelBaseVersion="1.0" xsi:schemaLocation="${SCHEMA} ${SCHEMA}/DATEXIISchema_1_0_1_0.xsd"`,
    ` xmlns="${SCHEMA}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">`,
    '<exchange><supplierIdentification><country>es</country><nationalIdentifier>dgt</nationalIdentifier></supplierIdentification></exchange>',
    `<payloadPublication lang="es" xsi:type="_0:${type}"${namespaces} xmlns:_0="${SCHEMA}">${payload}</payloadPublication></d2LogicalModel>`,
  ].join('')
}

/** A publication of DGT's inventory: its header follows `before`. */
function inventory(
  type: string,
  { publishedAt }: Options,
  before: Readonly<Record<string, Xml>>,
  content: Readonly<Record<string, Xml>>,
): string {
  const namespaces = ' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xs="http://www.w3.org/2001/XMLSchema"'
  return datex1Publication(
    { type, publishedAt, creator: 'dgt_its', namespaces },
    {
      ...before,
      headerInformation: {
        ...{ areaOfInterest: 'national', confidentiality: 'noRestriction', informationUsage: 'broadcast', informationStatus: 'real' },
      },
      ...content,
    },
  )
}

/** A `MeasuredDataPublication`: the measurements of each detector. */
export function dgtDetectorMeasurements(measurements: readonly Measurement[], options: Options): string {
  const siteMeasurements = measurements.map((one, nth) => measurementXml(one, options.hasUnknownCodes && nth % 40 === 7))
  return inventory('MeasuredDataPublication', options, { measurementSiteTableReference: 'Inventario' }, { siteMeasurements })
}

function measurementXml(one: Measurement, isOdd: boolean): Xml {
  const id = `GUID_DET_${one.detector}`
  const time = isoLocal(one.at).replace('.000', '')
  const tenths = (value: number | null): string | null => value?.toFixed(1) ?? null
  const percentageLongVehicles = tenths(one.long_pct)
  // The share of long vehicles is in either of two places.
  const [inFlow, inConcentration] = one.isLongWithOccupancy ? [null, percentageLongVehicles] : [percentageLongVehicles, null]
  const values: [type: string, key: number | string | null, content: Readonly<Record<string, Xml>>][] = [
    ['TrafficSpeed', one.speed_kmh, { averageVehicleSpeed: tenths(one.speed_kmh) }],
    ['TrafficHeadway', one.headway_m, { averageDistanceHeadway: tenths(one.headway_m) }],
    ['TrafficFlow', one.flow_veh_h, { percentageLongVehicles: inFlow, vehicleFlow: one.flow_veh_h }],
    ['TrafficConcentration', one.occupancy_pct, { occupancy: tenths(one.occupancy_pct), percentageLongVehicles: inConcentration }],
    ['TrafficMood', isOdd ? 1 : null, { mood: 'fair' }],
  ]
  return {
    measurementSiteReference: id,
    measurementTimeDefault: time,
    measuredValue: values.map(([type, value, content], index) =>
      value === null
        ? null
        : {
            '@index': index,
            measurementEquipmentTypeUsed: { value: 'Detector' },
            basicDataValue: {
              '@xsi:type': `_0:${type}`,
              time,
              affectedLocation: {
                '@xsi:type': '_0:GroupOfLocationsByReference',
                locationContainedInGroup: { '@xsi:type': '_0:LocationByReference', predefinedLocationReference: id },
                predefinedLocationSetReference: 'GUID_Inventario_Detectores',
              },
              ...content,
            },
          },
    ),
  }
}

/** A `PredefinedLocationsPublication`: the place of each detector. */
export function dgtDetectorSites(detectors: readonly Detector[], options: Options): string {
  const sites = detectors.map(({ id, road, point, isPositive, destination, site }, nth) => {
    const direction = site === 'BUS-VAO' ? 'unknown' : isPositive ? 'positive' : 'negative'
    const singularity = options.hasUnknownCodes && nth % 40 === 7 ? 'TELEFÉRICO' : site
    return locationXml(`DET_${id}`, [{ number: id, road, point, direction, destination, singularity }])
  })
  return locations(options, { Detectores: sites })
}

/** DGT's speed cameras: sections of average speed, then the cabins of fixed cameras. */
export function dgtSpeedCameraLocations(cameras: readonly DgtSpeedCamera[], options: Options): string {
  const written = cameras.map(({ id, road, isPositive, from, to, destination }, nth) => {
    const direction = options.hasUnknownCodes && nth % 40 === 7 ? 'sideways' : isPositive ? 'positive' : 'negative'
    const singularity = /^(A|AP|R)-/.test(road) ? 'AUTOPISTA / AUTOVÍA' : 'CARRETERA NACIONAL'
    const ends = (to ? [from, to] : [from]).map((point) => ({ number: id, road, point, direction, destination, singularity }))
    return locationXml(`${to ? 'CVM' : 'CABINACINEMOMETRO'}_${id}`, ends)
  })
  return locations(options, {
    CinemometrosVelocidadMedia: written.filter((_, nth) => cameras[nth]?.to),
    CabinasCinemometro: written.filter((_, nth) => !cameras[nth]?.to),
  })
}

/** Sets of locations by name. */
function locations(options: Options, sets: Readonly<Record<string, readonly Xml[]>>): string {
  const predefinedLocationSet = Object.entries(sets).map(([name, predefinedLocation]) => ({
    '@id': `GUID_Inventario_${name}`,
    predefinedLocationSetName: { value: { '@lang': 'es', '#': name } },
    predefinedLocation,
  }))
  return inventory('PredefinedLocationsPublication', options, {}, { predefinedLocationSet })
}

/** A point on a road, and DGT's description of it. */
interface Reference {
  /** A number that varies from place to place, for the ids of road and segment. */
  readonly number: number
  readonly road: string
  readonly point: RoadPoint
  readonly direction: string
  readonly destination: string | null
  readonly singularity: string
}

/** A location: a point, or a stretch between two, whose end comes first. */
function locationXml(id: string, [from, to]: readonly Reference[]): Xml {
  const first = from as Reference
  const linear = to && {
    '@xsi:type': '_0:Linear',
    tpeglinearLocation: {
      ...{ tpegDirection: 'unknown', tpegLocationType: 'segment', to: pointXml(to), from: pointXml(first) },
    },
    referencePointLinear: {
      referencePointPrimaryLocation: { referencePoint: referenceXml(`${id}_ini`, first) },
      referencePointSecondaryLocation: { referencePoint: referenceXml(`${id}_fin`, to) },
    },
  }
  return {
    '@id': `GUID_${id}`,
    predefinedLocationName: { value: { '@lang': 'es', '#': id } },
    predefinedLocation: linear ?? {
      '@xsi:type': '_0:Point',
      tpegpointLocation: {
        ...{ '@xsi:type': '_0:TPEGSimplePoint', tpegDirection: 'unknown', tpegLocationType: 'nonLinkedPoint', point: pointXml(first) },
      },
      referencePoint: referenceXml(id, first),
    },
  }
}

function pointXml({ road, point }: Reference): Xml {
  const town = point.municipality.name.toUpperCase()
  const name = (value: string, tpegDescriptorType: string): Xml => ({ descriptor: { value }, tpegDescriptorType })
  return {
    '@xsi:type': POINT,
    pointCoordinates: { latitude: point.lat, longitude: point.lon },
    name: [name(road, 'linkName'), name(town, 'other'), name(town, 'townName')],
  }
}

function referenceXml(id: string, { number, road, point, direction, destination, singularity }: Reference): Xml {
  const { km, municipality } = point
  return {
    referencePointIdentifier: id,
    administrativeArea: { value: municipality.name.toUpperCase() },
    roadName: { value: { '@lang': 'es', '#': road } },
    ...{ roadNumber: road, directionRelative: direction, referencePointDistance: (km * 1000).toFixed(1) },
    referencePointExtension: {
      ExtendedReferencePoint: {
        ...{ referencePointIdentifier: id, directionNamed: destination, provinceINEIdentifier: Number(municipality.province) },
        ...{ roadIdentifier: 50_000 + (number % 900), segmentIdentifier: 50_000 + (number % 900), singularity },
      },
    },
  }
}
