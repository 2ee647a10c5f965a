import type { Detector, Measurement } from '../world/detectors.ts'
import { isoLocal } from '../world/rhythm.ts'
import { HEADER, locationSet, pointLocation, predefinedLocation, publication } from './datex1-locations.ts'

/** The options of a document. */
interface Options {
  readonly publishedAt: number
  /** True if one record in forty has an unknown code. */
  readonly hasUnknownCodes: boolean
}

/** A `MeasuredDataPublication`: the measurements of each detector. */
export function dgtDetectorMeasurements(measurements: readonly Measurement[], { publishedAt, hasUnknownCodes }: Options): string {
  return publication('MeasuredDataPublication', publishedAt, [
    '    <_0:measurementSiteTableReference>Inventario</_0:measurementSiteTableReference>\n',
    HEADER,
    ...measurements.map((one, nth) => siteMeasurements(one, hasUnknownCodes && nth % 40 === 7)),
  ])
}

function siteMeasurements(one: Measurement, isOddOne: boolean): string {
  const id = `GUID_DET_${one.detector}`
  const time = isoLocal(one.at).replace('.000', '')
  const tenths = (name: string, value: number | null): string =>
    value === null ? '' : `          <_0:${name}>${value.toFixed(1)}</_0:${name}>\n`
  const long = tenths('percentageLongVehicles', one.long_pct)
  const flow = one.flow_veh_h === null ? '' : `          <_0:vehicleFlow>${one.flow_veh_h}</_0:vehicleFlow>\n`
  const values: [type: string, content: string][] = [
    ['TrafficSpeed', tenths('averageVehicleSpeed', one.speed_kmh)],
    ['TrafficHeadway', tenths('averageDistanceHeadway', one.headway_m)],
    ['TrafficFlow', flow && (one.isLongWithOccupancy ? '' : long) + flow],
    [
      'TrafficConcentration',
      tenths('occupancy', one.occupancy_pct) && tenths('occupancy', one.occupancy_pct) + (one.isLongWithOccupancy ? long : ''),
    ],
  ]
  if (isOddOne) values.push(['TrafficMood', '          <_0:mood>fair</_0:mood>\n'])
  let text = `    <_0:siteMeasurements>
      <_0:measurementSiteReference>${id}</_0:measurementSiteReference>
      <_0:measurementTimeDefault>${time}</_0:measurementTimeDefault>
`
  for (const [index, [type, content]] of values.entries()) {
    if (content === '') continue
    text += `      <_0:measuredValue index="${index}">
        <_0:measurementEquipmentTypeUsed>
          <_0:value>Detector</_0:value>
        </_0:measurementEquipmentTypeUsed>
        <_0:basicDataValue xsi:type="_0:${type}">
          <_0:time>${time}</_0:time>
          <_0:affectedLocation xsi:type="_0:GroupOfLocationsByReference">
            <_0:locationContainedInGroup xsi:type="_0:LocationByReference">
              <_0:predefinedLocationReference>${id}</_0:predefinedLocationReference>
            </_0:locationContainedInGroup>
            <_0:predefinedLocationSetReference>GUID_Inventario_Detectores</_0:predefinedLocationSetReference>
          </_0:affectedLocation>
${content}        </_0:basicDataValue>
      </_0:measuredValue>
`
  }
  return `${text}    </_0:siteMeasurements>\n`
}

/** A `PredefinedLocationsPublication`: the position of each detector. */
export function dgtDetectorSites(detectors: readonly Detector[], { publishedAt, hasUnknownCodes }: Options): string {
  return publication('PredefinedLocationsPublication', publishedAt, [
    HEADER,
    locationSet(
      'Detectores',
      detectors.map((one, nth) => siteOf(one, hasUnknownCodes && nth % 40 === 7)),
    ),
  ])
}

function siteOf({ id, road, point, isPositive, destination, site }: Detector, isOddOne: boolean): string {
  const direction = site === 'BUS-VAO' ? 'unknown' : isPositive ? 'positive' : 'negative'
  const reference = { id: `DET_${id}`, number: id, road, point, direction, destination, singularity: isOddOne ? 'TELEFÉRICO' : site }
  return predefinedLocation(reference.id, pointLocation(reference))
}
