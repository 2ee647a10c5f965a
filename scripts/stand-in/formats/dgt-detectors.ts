import type { Detector, Measurement } from '../world/detectors.ts'
import { isoLocal } from '../world/rhythm.ts'
import { escapeText } from './xml.ts'

/** The options of a document. */
interface Options {
  readonly publishedAt: number
  /** True if one record in forty has an unknown code. */
  readonly hasUnknownCodes: boolean
}

const SCHEMA = 'http://datex2.eu/schema/1_0/1_0'

/**
 * The XML around a DATEX II v1.0 publication: its elements have the prefix `_0:`, but the root declares the same namespace
 * without one.
 */
function publication(type: string, publishedAt: number, parts: readonly string[]): string {
  return [
    `<?xml version="1.0" encoding="UTF-8"?><d2LogicalModel modelBaseVersion="1.0" xsi:schemaLocation="${SCHEMA} ${SCHEMA}/DATEXIISchema_1_0_1_0.xsd" xmlns="${SCHEMA}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <exchange>
    <supplierIdentification>
      <country>es</country>
      <nationalIdentifier>dgt</nationalIdentifier>
    </supplierIdentification>
  </exchange>
  <payloadPublication lang="es" xsi:type="_0:${type}" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:_0="${SCHEMA}">
    <_0:publicationTime>${isoLocal(publishedAt)}</_0:publicationTime>
    <_0:publicationCreator>
      <_0:country>es</_0:country>
      <_0:nationalIdentifier>dgt_its</_0:nationalIdentifier>
    </_0:publicationCreator>
`,
    ...parts,
    `  </payloadPublication>
</d2LogicalModel>
`,
  ].join('')
}

const HEADER = `    <_0:headerInformation>
      <_0:areaOfInterest>national</_0:areaOfInterest>
      <_0:confidentiality>noRestriction</_0:confidentiality>
      <_0:informationUsage>broadcast</_0:informationUsage>
      <_0:informationStatus>real</_0:informationStatus>
    </_0:headerInformation>
`

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
    `    <_0:predefinedLocationSet id="GUID_Inventario_Detectores">
      <_0:predefinedLocationSetName>
        <_0:value lang="es">Detectores</_0:value>
      </_0:predefinedLocationSetName>
`,
    ...detectors.map((one, nth) => predefinedLocation(one, hasUnknownCodes && nth % 40 === 7)),
    '    </_0:predefinedLocationSet>\n',
  ])
}

function predefinedLocation({ id, road, point, isPositive, destination, site }: Detector, isOddOne: boolean): string {
  const province = point.municipality.province
  const town = escapeText(point.municipality.name.toUpperCase())
  const name = (value: string, type: string): string => `              <_0:name>
                <_0:descriptor>
                  <_0:value>${value}</_0:value>
                </_0:descriptor>
                <_0:tpegDescriptorType>${type}</_0:tpegDescriptorType>
              </_0:name>
`
  const direction = site === 'BUS-VAO' ? 'unknown' : isPositive ? 'positive' : 'negative'
  return `      <_0:predefinedLocation id="GUID_DET_${id}">
        <_0:predefinedLocationName>
          <_0:value lang="es">DET_${id}</_0:value>
        </_0:predefinedLocationName>
        <_0:predefinedLocation xsi:type="_0:Point">
          <_0:tpegpointLocation xsi:type="_0:TPEGSimplePoint">
            <_0:tpegDirection>unknown</_0:tpegDirection>
            <_0:tpegLocationType>nonLinkedPoint</_0:tpegLocationType>
            <_0:point xsi:type="_0:TPEGNonJunctionPoint">
              <_0:pointCoordinates>
                <_0:latitude>${point.lat}</_0:latitude>
                <_0:longitude>${point.lon}</_0:longitude>
              </_0:pointCoordinates>
${name(road, 'linkName')}${name(town, 'other')}${name(town, 'townName')}            </_0:point>
          </_0:tpegpointLocation>
          <_0:referencePoint>
            <_0:referencePointIdentifier>DET_${id}</_0:referencePointIdentifier>
            <_0:administrativeArea>
              <_0:value>${town}</_0:value>
            </_0:administrativeArea>
            <_0:roadName>
              <_0:value lang="es">${road}</_0:value>
            </_0:roadName>
            <_0:roadNumber>${road}</_0:roadNumber>
            <_0:directionRelative>${direction}</_0:directionRelative>
            <_0:referencePointDistance>${(point.km * 1000).toFixed(1)}</_0:referencePointDistance>
            <_0:referencePointExtension>
              <_0:ExtendedReferencePoint>
                <_0:referencePointIdentifier>DET_${id}</_0:referencePointIdentifier>
                <_0:directionNamed>${escapeText(destination)}</_0:directionNamed>
                <_0:provinceINEIdentifier>${Number(province)}</_0:provinceINEIdentifier>
                <_0:roadIdentifier>${50_000 + (id % 900)}</_0:roadIdentifier>
                <_0:segmentIdentifier>${50_000 + (id % 900)}</_0:segmentIdentifier>
                <_0:singularity>${isOddOne ? 'TELEFÉRICO' : site}</_0:singularity>
              </_0:ExtendedReferencePoint>
            </_0:referencePointExtension>
          </_0:referencePoint>
        </_0:predefinedLocation>
      </_0:predefinedLocation>
`
}
