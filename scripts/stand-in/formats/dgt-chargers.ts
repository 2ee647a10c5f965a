import { hash } from '../random.ts'
import type { Charger, SimulatedSite } from '../world/charging-sites.ts'
import { isoLocal } from '../world/rhythm.ts'
import { escapeText } from './xml.ts'

const NAMESPACES = [
  'd2Payload d2',
  'common com',
  'locationReferencing loc',
  'energyInfrastructure egi',
  'facilities fac',
  'locationExtension locx',
]
  .map((one) => one.split(' '))
  .map(([name, prefix]) => ` xmlns:${prefix}="http://datex2.eu/schema/3/${name}"`)
  .join('')

/** The `EnergyInfrastructureTablePublication` of DGT in pieces: at full scale it has about 85 MB. */
export function* dgtChargers(
  sites: Iterable<SimulatedSite>,
  { publishedAt, hasUnknownCodes }: { readonly publishedAt: number; readonly hasUnknownCodes: boolean },
): Generator<string, void> {
  yield [
    `<?xml version="1.0" encoding="UTF-8"?><d2:payload xsi:type="egi:EnergyInfrastructureTablePublication" lang="es" modelBaseVersion="3"${NAMESPACES} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">`,
    `    <com:publicationTime>${isoLocal(publishedAt)}</com:publicationTime>`,
    '    <com:publicationCreator>',
    '        <com:country>ES</com:country>',
    '        <com:nationalIdentifier>dgt</com:nationalIdentifier>',
    '    </com:publicationCreator>',
    `    <egi:energyInfrastructureTable id="ELECTROLINERAS" version="${isoLocal(publishedAt).slice(0, 10).replaceAll('-', '')}">`,
    '',
  ].join('\n')
  let nth = 0
  for (const site of sites) {
    const text = siteXml(site)
    yield hasUnknownCodes && nth++ % 40 === 7 ? text.replace('>iec62196T2<', '>gbtDc<') : text
  }
  yield '    </egi:energyInfrastructureTable>\n</d2:payload>\n'
}

const valueXml = (indent: string, text: string): string =>
  [`${indent}<com:values>`, `${indent}    <com:value lang="es">${escapeText(text)}</com:value>`, `${indent}</com:values>`].join('\n')

function siteXml(site: SimulatedSite): string {
  const lines = [
    `Dirección: ${site.address}`,
    `Municipio: ${site.municipality}`,
    `Provincia: ${site.province}`,
    `Comunidad Autónoma: ${site.community}`,
  ].map((text, at) =>
    [
      `                            <locx:addressLine order="${at + 1}">`,
      '                                <locx:type>generalTextLine</locx:type>',
      '                                <locx:text>',
      valueXml('                                    ', text),
      '                                </locx:text>',
      '                            </locx:addressLine>',
    ].join('\n'),
  )
  return [
    `        <egi:energyInfrastructureSite id="${site.id}" version="">`,
    '            <fac:name>',
    valueXml('                ', site.name),
    '            </fac:name>',
    `            <fac:lastUpdated>${isoLocal(site.updatedAt)}</fac:lastUpdated>`,
    '            <fac:accessibility xsi:nil="true"/>',
    `            <fac:operatingHours xsi:type="fac:OperatingHoursSpecification" id="${site.isAlwaysOpen ? '24/7' : 'Horario habitual'}" version="">`,
    site.isAlwaysOpen
      ? '                <fac:label/>'
      : '                <fac:label>Martes (09:00 - 21:30) Lunes (09:00 - 21:30) </fac:label>',
    '            </fac:operatingHours>',
    '            <fac:locationReference xsi:type="loc:PointLocation">',
    '                <loc:_locationReferenceExtension>',
    '                    <loc:facilityLocation>',
    '                        <locx:address>',
    // The publisher writes the code as a number.
    `                            <locx:postcode>${Number(site.postalCode)}</locx:postcode>`,
    ...lines,
    '                        </locx:address>',
    '                    </loc:facilityLocation>',
    '                </loc:_locationReferenceExtension>',
    '                <loc:coordinatesForDisplay>',
    `                    <loc:latitude>${site.lat.toFixed(6)}</loc:latitude>`,
    `                    <loc:longitude>${site.lon.toFixed(6)}</loc:longitude>`,
    '                </loc:coordinatesForDisplay>',
    '            </fac:locationReference>',
    `            <fac:operator xsi:type="fac:OrganisationSpecification" id="ES*${site.operator.slice(0, 3)}" version="">`,
    '                <fac:name>',
    valueXml('                    ', site.operator),
    '                </fac:name>',
    '                <fac:organisationUnit/>',
    '            </fac:operator>',
    `            <egi:typeOfSite>${site.type}</egi:typeOfSite>`,
    `            <egi:energyInfrastructureStation id="${site.id}_1" version="">`,
    ...site.access.map(
      (way) => `                <egi:authenticationAndIdentificationMethods>${way}</egi:authenticationAndIdentificationMethods>`,
    ),
    ...site.points.map((charger, at) => pointXml(site, charger, at)),
    '            </egi:energyInfrastructureStation>',
    '        </egi:energyInfrastructureSite>',
    '',
  ].join('\n')
}

function pointXml({ id, operator }: SimulatedSite, charger: Charger, at: number): string {
  return [
    `                <egi:refillPoint xsi:type="egi:ElectricChargingPoint" id="${hash(id, at).toString(36).toUpperCase()}" version="">`,
    '                    <fac:name>',
    valueXml('                        ', `ES*${operator.slice(0, 3)}*E${id}${at + 1}`),
    '                    </fac:name>',
    ...charger.map(({ type, mode, format, watts, volts, amperes }) =>
      [
        '                    <egi:connector>',
        `                        <egi:connectorType>${type}</egi:connectorType>`,
        `                        <egi:chargingMode>${mode}</egi:chargingMode>`,
        `                        <egi:connectorFormat>${format}</egi:connectorFormat>`,
        `                        <egi:maxPowerAtSocket>${watts.toFixed(1)}</egi:maxPowerAtSocket>`,
        `                        <egi:voltage>${volts.toFixed(1)}</egi:voltage>`,
        `                        <egi:maximumCurrent>${amperes.toFixed(1)}</egi:maximumCurrent>`,
        '                    </egi:connector>',
      ].join('\n'),
    ),
    '                </egi:refillPoint>',
  ].join('\n')
}
