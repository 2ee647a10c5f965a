import type { SimulatedZone, ZoneFile } from '../world/low-emission-zones.ts'
import { isoLocal } from '../world/rhythm.ts'
import { escapeText } from './xml.ts'

const NAMESPACES = ['common com', 'controlledZone cz', 'trafficRegulation tro', 'locationReferencing loc', 'd2Payload d2']
  .map((one) => one.split(' '))
  .map(([name, prefix]) => ` xmlns:${prefix}="http://levelC/schema/3/${name}"`)
  .join('')

/** The page of the directory, as a web server lists it. */
export function zoneIndex(files: readonly ZoneFile[]): string {
  const links = files.map(({ name }) => `<tr><td><a href="${encodeURIComponent(name)}">${escapeText(name)}</a></td></tr>`)
  return [
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">',
    '<html><head><title>Index of /datex2/v3/dgt/zbe/ControledZonePublication</title></head><body><table>',
    '<tr><th><a href="?C=N;O=D">Name</a></th></tr>',
    '<tr><td><a href="/datex2/v3/dgt/zbe/">Parent Directory</a></td></tr>',
    ...links,
    '</table></body></html>',
    '',
  ].join('\n')
}

/** A `ControlledZoneTablePublication` of DGT: the zones of a municipality. */
export function dgtZones(zones: readonly SimulatedZone[], options: { publishedAt: number; hasUnknownCodes: boolean }): string {
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
    `<d2:payload xsi:type="cz:ControlledZoneTablePublication" lang="es" modelBaseVersion="3" profileVersion="3.7_1.0"${NAMESPACES} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">`,
    `<com:publicationTime>${isoLocal(options.publishedAt)}</com:publicationTime>`,
    '<cz:controlledZoneTable id="ZBE" version="1">',
    ...zones.map((zone) => zoneXml(options.hasUnknownCodes ? { ...zone, labels: [...zone.labels, 'H'] } : zone)),
    '</cz:controlledZoneTable>',
    '</d2:payload>',
    '',
  ].join('\n')
}

const values = (text: string): string => `<com:values><com:value lang="es">${escapeText(text)}</com:value></com:values>`

function zoneXml({ id, name, hours, labels, validFrom, rings }: SimulatedZone): string {
  const [from, until] = hours
  const stickers = labels.map(
    (label) =>
      `<tro:conditions xsi:type="tro:NonCodableCondition"><tro:type>stickerCondition</tro:type><tro:value>${values(label)}</tro:value></tro:conditions>`,
  )
  const corners = rings.map((ring) => `<loc:openlrPolygonCorners>${ring.map(cornerXml).join('')}</loc:openlrPolygonCorners>`)
  return [
    `<cz:controlledZone id="${escapeText(id)}" version="1"><cz:name>${values(name)}</cz:name>`,
    '<cz:trafficRegulationOrder id="1" version="1"><tro:trafficRegulation>',
    '<tro:typeOfRegulation xsi:type="tro:AccessRestriction"><tro:accessRestrictionType>noEntry</tro:accessRestrictionType></tro:typeOfRegulation>',
    '<tro:condition xsi:type="tro:ConditionSet"><tro:negate>false</tro:negate><tro:operator>and</tro:operator>',
    `<tro:conditions xsi:type="tro:ValidityCondition"><tro:validityByOrder><com:overallStartTime>${validFrom}T00:00:00Z</com:overallStartTime>`,
    `<com:validPeriod><com:recurringTimePeriodOfDay><com:startTimeOfPeriod>${from}</com:startTimeOfPeriod><com:endTimeOfPeriod>${until}</com:endTimeOfPeriod></com:recurringTimePeriodOfDay></com:validPeriod></tro:validityByOrder></tro:conditions>`,
    `<tro:conditions xsi:type="tro:ConditionSet"><tro:negate>true</tro:negate><tro:operator>or</tro:operator>${stickers.join('')}</tro:conditions>`,
    `<tro:conditions xsi:type="tro:LocationCondition"><tro:implementedLocation xsi:type="loc:AreaLocation"><loc:openlrAreaLocationReference>${corners.join('')}</loc:openlrAreaLocationReference></tro:implementedLocation></tro:conditions>`,
    '</tro:condition></tro:trafficRegulation></cz:trafficRegulationOrder></cz:controlledZone>',
  ].join('\n')
}

function cornerXml([lon, lat]: readonly [number, number]): string {
  return `<loc:openlrCoordinates><loc:latitude>${lat.toFixed(7)}</loc:latitude><loc:longitude>${lon.toFixed(7)}</loc:longitude></loc:openlrCoordinates>`
}
