import { COMMUNITIES, provinceOf } from '../world/provinces.ts'
import { isoLocal } from '../world/rhythm.ts'
import type { RoadPoint } from '../world/road-network.ts'
import type { Situation, SituationRecord, VehicleLimit } from '../world/situation-types.ts'
import { escapeText } from './xml.ts'

const SEVERITIES = ['low', 'medium', 'high', 'highest'] as const

/** The first line of DGT's documents in version 3. */
export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

// Prefixes, attributes, their order and the namespaces (`levelC`, not `datex2.eu`) are DGT's own.
const HEAD = [
  DECLARATION,
  '<d2:payload xsi:type="sit:SituationPublication" lang="es" modelBaseVersion="3" profileName="DGT (Spain) Profile RTTI SituationPublication" profileVersion="3.7_1.0"' +
    ' xmlns:com="http://levelC/schema/3/common" xmlns:loc="http://levelC/schema/3/locationReferencing" xmlns:ns8="http://levelC/schema/3/faultAndStatus"' +
    ' xmlns:cse="http://levelC/schema/3/commonSpanishExtension" xmlns:sse="http://levelC/schema/3/situationSpanishExtension"' +
    ' xmlns:ns9="http://levelC/schema/3/faultAndStatusSpanishExtension" xmlns:d2="http://levelC/schema/3/d2Payload" xmlns:sit="http://levelC/schema/3/situation"' +
    ' xmlns:ns3="http://levelC/schema/3/locationExtension" xmlns:lse="http://levelC/schema/3/locationReferencingSpanishExtension"' +
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
  '    <com:feedDescription>',
  '        <com:values>',
  '            <com:value>Publicación de incidencias de trafico activas en las carreteras Españolas.</com:value>',
  '        </com:values>',
  '    </com:feedDescription>',
]

/**
 * A `SituationPublication` of DGT's DATEX II profile 3.7: UTF-8, LF, indented by four blanks, line feed at the end. `publishedAt`
 * in ms.
 */
export function dgtDatex(situations: readonly Situation[], publishedAt: number): string {
  const lines = [
    ...HEAD,
    `    <com:publicationTime>${isoLocal(publishedAt)}</com:publicationTime>`,
    '    <com:publicationCreator>',
    '        <com:country>es</com:country>',
    '        <com:nationalIdentifier>DGT</com:nationalIdentifier>',
    '    </com:publicationCreator>',
  ]
  for (const situation of situations) pushSituation(lines, situation)
  lines.push('</d2:payload>', '')
  return lines.join('\n')
}

function pushSituation(lines: string[], situation: Situation): void {
  lines.push(`    <sit:situation id="${situation.id}">`)
  const overall = SEVERITIES.findLast((severity) => situation.records.some((record) => record.severity === severity))
  if (overall) lines.push(`        <sit:overallSeverity>${overall}</sit:overallSeverity>`)
  lines.push(
    '        <sit:headerInformation>',
    '            <com:informationStatus>real</com:informationStatus>',
    '        </sit:headerInformation>',
  )
  for (const record of situation.records) pushRecord(lines, situation, record)
  lines.push('    </sit:situation>')
}

function pushRecord(lines: string[], situation: Situation, record: SituationRecord): void {
  const { measure } = record
  const put = (line: string): number => lines.push(`            ${line}`)
  lines.push(`        <sit:situationRecord xsi:type="sit:${measure.type}" id="${record.id}" version="${record.version}">`)
  if (record.reference) put(element('sit:situationRecordCreationReference', record.reference))
  put(element('sit:situationRecordCreationTime', isoLocal(record.createdAt)))
  put(element('sit:situationRecordVersionTime', isoLocal(record.versionedAt)))
  put('<sit:probabilityOfOccurrence>certain</sit:probabilityOfOccurrence>')
  if (record.severity) put(element('sit:severity', record.severity))
  put('<sit:source>')
  put(`    ${element('com:sourceIdentification', situation.source)}`)
  put('</sit:source>')
  put('<sit:validity>')
  put('    <com:validityStatus>active</com:validityStatus>')
  put('    <com:validityTimeSpecification>')
  put(`        ${element('com:overallStartTime', isoLocal(record.startsAt))}`)
  if (record.endsAt !== null) put(`        ${element('com:overallEndTime', isoLocal(record.endsAt))}`)
  put('    </com:validityTimeSpecification>')
  put('</sit:validity>')
  const [type, detail, value] = situation.cause
  put('<sit:cause>')
  put(`    ${element('sit:causeType', type)}`)
  put('    <sit:detailedCauseType>')
  put(`        ${element(`sit:${detail}`, value)}`)
  put('    </sit:detailedCauseType>')
  put('</sit:cause>')
  put(`<sit:locationReference xsi:type="loc:${record.to ? 'SingleRoadLinearLocation' : 'PointLocation'}">`)
  pushPosition(lines, record)
  if (record.to) pushLine(lines, record, record.to)
  else pushPoint(lines, record)
  put('</sit:locationReference>')
  if (record.isMandatory !== null) {
    put(element('sit:complianceOption', record.isMandatory ? 'mandatory' : 'advisory'))
    put('<sit:forVehiclesWithCharacteristicsOf>')
    put(`    ${coded('com:vehicleType', record.vehicle)}`)
    if (record.limit) pushLimit(lines, record.limit)
    put('</sit:forVehiclesWithCharacteristicsOf>')
  }
  put(element(`sit:${measure.element}`, measure.value))
  if (record.speed_kmh !== null) put(element('sit:temporarySpeedLimit', double(record.speed_kmh)))
  lines.push('        </sit:situationRecord>')
}

function pushPosition(lines: string[], record: SituationRecord): void {
  const put = (line: string): number => lines.push(`                ${line}`)
  put('<loc:supplementaryPositionalDescription>')
  if (record.pass) {
    put('    <loc:geographicDescriptor>onPass</loc:geographicDescriptor>')
    put('    <loc:locationDescription>')
    put('        <com:values>')
    put(`            ${element('com:value', record.pass)}`)
    put('        </com:values>')
    put('    </loc:locationDescription>')
  }
  if (record.besides) {
    put('    <loc:carriageway>')
    put(`        ${element('loc:carriageway', record.besides)}`)
    put('    </loc:carriageway>')
  }
  if (record.lane) {
    put('    <loc:carriageway>')
    put('        <loc:carriageway>unspecifiedCarriageway</loc:carriageway>')
    put('        <loc:lane>')
    put(`            ${coded('loc:laneUsage', record.lane)}`)
    put('        </loc:lane>')
    put('    </loc:carriageway>')
  }
  put('    <loc:roadInformation>')
  if (record.destination) put(`        ${element('loc:roadDestination', record.destination)}`)
  put(`        ${element('loc:roadName', record.road.name)}`)
  put('    </loc:roadInformation>')
  put('</loc:supplementaryPositionalDescription>')
}

function pushLine(lines: string[], record: SituationRecord, to: RoadPoint): void {
  const put = (line: string): number => lines.push(`                ${line}`)
  put('<loc:tpegLinearLocation>')
  put(`    ${element('loc:tpegDirection', record.compass)}`)
  put('    <loc:tpegLinearLocationType>segment</loc:tpegLinearLocationType>')
  // The end is written before the start.
  pushNonJunctionPoint(lines, 'to', to)
  pushNonJunctionPoint(lines, 'from', record.from)
  put('    <loc:_tpegLinearLocationExtension>')
  put('        <loc:extendedTpegLinearLocation>')
  put(`            ${element('lse:tpegDirectionRoad', record.direction)}`)
  put('        </loc:extendedTpegLinearLocation>')
  put('    </loc:_tpegLinearLocationExtension>')
  put('</loc:tpegLinearLocation>')
}

function pushPoint(lines: string[], record: SituationRecord): void {
  const put = (line: string): number => lines.push(`                ${line}`)
  put('<loc:tpegPointLocation xsi:type="loc:TpegSimplePoint">')
  put(`    ${element('loc:tpegDirection', record.compass)}`)
  put('    <loc:tpegSimplePointLocationType>nonLinkedPoint</loc:tpegSimplePointLocationType>')
  pushNonJunctionPoint(lines, 'point', record.from)
  put('    <loc:_tpegSimplePointExtension>')
  put('        <loc:extendedTpegSimplePoint>')
  put(`            ${element('lse:tpegDirectionRoad', record.direction)}`)
  put('        </loc:extendedTpegSimplePoint>')
  put('    </loc:_tpegSimplePointExtension>')
  put('</loc:tpegPointLocation>')
}

function pushNonJunctionPoint(lines: string[], name: string, point: RoadPoint): void {
  const put = (line: string): number => lines.push(`                    ${line}`)
  const province = provinceOf(point.municipality.province)
  put(`<loc:${name} xsi:type="loc:TpegNonJunctionPoint">`)
  put('    <loc:pointCoordinates>')
  put(`        ${element('loc:latitude', double(point.lat))}`)
  put(`        ${element('loc:longitude', double(point.lon))}`)
  put('    </loc:pointCoordinates>')
  put('    <loc:_tpegNonJunctionPointExtension>')
  put('        <loc:extendedTpegNonJunctionPoint>')
  put(`            ${element('lse:autonomousCommunity', COMMUNITIES.get(province.community)?.dgt ?? province.dgt)}`)
  put(`            ${element('lse:kilometerPoint', double(point.km))}`)
  put(`            ${element('lse:municipality', point.municipality.name)}`)
  put(`            ${element('lse:province', province.dgt)}`)
  put('        </loc:extendedTpegNonJunctionPoint>')
  put('    </loc:_tpegNonJunctionPointExtension>')
  put(`</loc:${name}>`)
}

function pushLimit(lines: string[], limit: VehicleLimit): void {
  const put = (line: string): number => lines.push(`                ${line}`)
  const names = {
    lengthCharacteristic: 'vehicleLength',
    widthCharacteristic: 'vehicleWidth',
    grossWeightCharacteristic: 'grossVehicleWeight',
  }
  put(`<com:${limit.element}>`)
  put('    <com:comparisonOperator>greaterThan</com:comparisonOperator>')
  put(`    ${element(`com:${names[limit.element]}`, double(limit.value))}`)
  if (limit.element === 'grossWeightCharacteristic') put('    <com:typeOfWeight>maximumPermitted</com:typeOfWeight>')
  put(`</com:${limit.element}>`)
}

/** An element of an enumeration; a value outside the standard (`+name`) is written as an attribute. */
function coded(name: string, value: string): string {
  if (!value.startsWith('+')) return element(name, value)
  return `<${name} _extendedValue="${value.slice(1)}">_extended</${name}>`
}

/** An element with a text or number. */
export function element(name: string, text: string | number): string {
  return `<${name}>${typeof text === 'number' ? text : escapeText(text)}</${name}>`
}

/** A number as Java prints a double: always with a decimal point. */
export function double(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value)
}
