import { isoLocal } from '../world/rhythm.ts'
import type { RoadPoint } from '../world/road-network.ts'
import { escapeText } from './xml.ts'

const SCHEMA = 'http://datex2.eu/schema/1_0/1_0'

/**
 * The XML around a DATEX II v1.0 publication: its elements have the prefix `_0:`, but the root declares the same namespace
 * without one.
 */
export function publication(type: string, publishedAt: number, parts: readonly string[]): string {
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

/** The header of a publication. */
export const HEADER = `    <_0:headerInformation>
      <_0:areaOfInterest>national</_0:areaOfInterest>
      <_0:confidentiality>noRestriction</_0:confidentiality>
      <_0:informationUsage>broadcast</_0:informationUsage>
      <_0:informationStatus>real</_0:informationStatus>
    </_0:headerInformation>
`

/** A set of locations: `parts` from `predefinedLocation`. */
export function locationSet(name: string, parts: readonly string[]): string {
  return `    <_0:predefinedLocationSet id="GUID_Inventario_${name}">
      <_0:predefinedLocationSetName>
        <_0:value lang="es">${name}</_0:value>
      </_0:predefinedLocationSetName>
${parts.join('')}    </_0:predefinedLocationSet>
`
}

/** A location of a set: `content` from `pointLocation` or `linearLocation`. */
export function predefinedLocation(id: string, content: string): string {
  return `      <_0:predefinedLocation id="GUID_${id}">
        <_0:predefinedLocationName>
          <_0:value lang="es">${id}</_0:value>
        </_0:predefinedLocationName>
${content}      </_0:predefinedLocation>
`
}

/** A point on a road, with what DGT says of it. */
interface Reference {
  readonly id: string
  /** A number that varies from place to place, for the ids of road and segment. */
  readonly number: number
  readonly road: string
  readonly point: RoadPoint
  readonly direction: string
  readonly destination: string | null
  readonly singularity: string
}

/** The content of a location that is a point. */
export function pointLocation(reference: Reference): string {
  return `        <_0:predefinedLocation xsi:type="_0:Point">
          <_0:tpegpointLocation xsi:type="_0:TPEGSimplePoint">
            <_0:tpegDirection>unknown</_0:tpegDirection>
            <_0:tpegLocationType>nonLinkedPoint</_0:tpegLocationType>
${coordinates('point', reference)}          </_0:tpegpointLocation>
${referencePoint(reference)}        </_0:predefinedLocation>
`
}

/** The content of a location between two points; the end comes first, as published. */
export function linearLocation(from: Reference, to: Reference): string {
  return `        <_0:predefinedLocation xsi:type="_0:Linear">
          <_0:tpeglinearLocation>
            <_0:tpegDirection>unknown</_0:tpegDirection>
            <_0:tpegLocationType>segment</_0:tpegLocationType>
${coordinates('to', to)}${coordinates('from', from)}          </_0:tpeglinearLocation>
          <_0:referencePointLinear>
            <_0:referencePointPrimaryLocation>
${referencePoint(from, '    ')}            </_0:referencePointPrimaryLocation>
            <_0:referencePointSecondaryLocation>
${referencePoint(to, '    ')}            </_0:referencePointSecondaryLocation>
          </_0:referencePointLinear>
        </_0:predefinedLocation>
`
}

function coordinates(element: 'point' | 'from' | 'to', { road, point }: Reference): string {
  const town = escapeText(point.municipality.name.toUpperCase())
  const name = (value: string, type: string): string => `              <_0:name>
                <_0:descriptor>
                  <_0:value>${value}</_0:value>
                </_0:descriptor>
                <_0:tpegDescriptorType>${type}</_0:tpegDescriptorType>
              </_0:name>
`
  return `            <_0:${element} xsi:type="_0:TPEGNonJunctionPoint">
              <_0:pointCoordinates>
                <_0:latitude>${point.lat}</_0:latitude>
                <_0:longitude>${point.lon}</_0:longitude>
              </_0:pointCoordinates>
${name(road, 'linkName')}${name(town, 'other')}${name(town, 'townName')}            </_0:${element}>
`
}

function referencePoint({ id, number, road, point, direction, destination, singularity }: Reference, indent = ''): string {
  const named = destination === null ? '' : `\n                <_0:directionNamed>${escapeText(destination)}</_0:directionNamed>`
  const text = `          <_0:referencePoint>
            <_0:referencePointIdentifier>${id}</_0:referencePointIdentifier>
            <_0:administrativeArea>
              <_0:value>${escapeText(point.municipality.name.toUpperCase())}</_0:value>
            </_0:administrativeArea>
            <_0:roadName>
              <_0:value lang="es">${road}</_0:value>
            </_0:roadName>
            <_0:roadNumber>${road}</_0:roadNumber>
            <_0:directionRelative>${direction}</_0:directionRelative>
            <_0:referencePointDistance>${(point.km * 1000).toFixed(1)}</_0:referencePointDistance>
            <_0:referencePointExtension>
              <_0:ExtendedReferencePoint>
                <_0:referencePointIdentifier>${id}</_0:referencePointIdentifier>${named}
                <_0:provinceINEIdentifier>${Number(point.municipality.province)}</_0:provinceINEIdentifier>
                <_0:roadIdentifier>${50_000 + (number % 900)}</_0:roadIdentifier>
                <_0:segmentIdentifier>${50_000 + (number % 900)}</_0:segmentIdentifier>
                <_0:singularity>${singularity}</_0:singularity>
              </_0:ExtendedReferencePoint>
            </_0:referencePointExtension>
          </_0:referencePoint>
`
  return indent === '' ? text : text.replaceAll(/^/gm, indent).slice(0, -indent.length)
}
