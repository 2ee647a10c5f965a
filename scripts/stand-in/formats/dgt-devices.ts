import { provinceOf } from '../world/provinces.ts'
import { isoLocal } from '../world/rhythm.ts'
import type { RoadPoint } from '../world/road-network.ts'
import { DECLARATION, double, element } from './dgt-datex.ts'

/** A device of a catalogue. */
interface Device {
  readonly id: number
  readonly type: 'vms' | 'camera'
  readonly road: string
  readonly point: RoadPoint
  readonly direction: string
  readonly destination: string | null
  readonly changedAt: number
  /** The address of a camera's image. */
  readonly url?: string
}

/** The options of a document. */
interface Options {
  readonly publishedAt: number
  /** True if one device in forty has an unknown direction. */
  readonly hasUnknownCodes: boolean
}

/** A `DevicePublication` of DGT's DATEX II profile: the positions of panels or cameras. */
export function dgtDevices(devices: readonly Device[], { publishedAt, hasUnknownCodes }: Options): string {
  const lines = [
    DECLARATION,
    '<d2:payload xsi:type="ns2:DevicePublication" lang="es" modelBaseVersion="3" profileName="ProfileDGT" profileVersion="1.0"' +
      ' xmlns:com="http://levelC/schema/3/common" xmlns:loc="http://levelC/schema/3/locationReferencing" xmlns:cse="http://levelC/schema/3/commonSpanishExtension"' +
      ' xmlns:fse="http://levelC/schema/3/faultAndStatusSpanishExtension" xmlns:ns2="http://levelC/schema/3/faultAndStatus" xmlns:d2="http://levelC/schema/3/d2Payload"' +
      ' xmlns:ns3="http://levelC/schema/3/locationExtension" xmlns:lse="http://levelC/schema/3/locationReferencingSpanishExtension"' +
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
    `    <com:publicationTime>${isoLocal(publishedAt)}</com:publicationTime>`,
  ]
  for (const [nth, device] of devices.entries()) pushDevice(lines, device, hasUnknownCodes && nth % 40 === 7)
  lines.push('</d2:payload>', '')
  return lines.join('\n')
}

function pushDevice(lines: string[], device: Device, isOddOne: boolean): void {
  const { id, type, road, point, direction, destination, changedAt, url } = device
  const put = (line: string): number => lines.push(`    ${line}`)
  put(`<ns2:device xsi:type="fse:ExtendedDevice" id="${id}" version="${1 + (id % 7)}">`)
  put(`    <ns2:typeOfDevice>${type}</ns2:typeOfDevice>`)
  put(`    ${element('ns2:lastUpdateOfDeviceInformation', isoLocal(changedAt))}`)
  put('    <ns2:pointLocation>')
  put('        <loc:supplementaryPositionalDescription>')
  put('            <loc:roadInformation>')
  if (destination !== null) put(`                ${element('loc:roadDestination', destination)}`)
  put(`                ${element('loc:roadName', road)}`)
  put('            </loc:roadInformation>')
  put('        </loc:supplementaryPositionalDescription>')
  put('        <loc:tpegPointLocation xsi:type="loc:TpegSimplePoint">')
  put('            <loc:tpegDirection>unknown</loc:tpegDirection>')
  put('            <loc:tpegSimplePointLocationType>nonLinkedPoint</loc:tpegSimplePointLocationType>')
  put('            <loc:point xsi:type="loc:TpegNonJunctionPoint">')
  put('                <loc:pointCoordinates>')
  put(`                    ${element('loc:latitude', double(point.lat))}`)
  put(`                    ${element('loc:longitude', double(point.lon))}`)
  put('                </loc:pointCoordinates>')
  put('                <loc:_tpegNonJunctionPointExtension>')
  put('                    <loc:extendedTpegNonJunctionPoint>')
  put(`                        ${element('lse:kilometerPoint', double(point.km))}`)
  put(`                        ${element('lse:province', upperName(provinceOf(point.municipality.province).ministry))}`)
  put('                    </loc:extendedTpegNonJunctionPoint>')
  put('                </loc:_tpegNonJunctionPointExtension>')
  put('            </loc:point>')
  put('            <loc:_tpegSimplePointExtension>')
  put('                <loc:extendedTpegSimplePoint>')
  put(`                    ${element('lse:tpegDirectionRoad', isOddOne ? 'sideways' : direction)}`)
  put('                </loc:extendedTpegSimplePoint>')
  put('            </loc:_tpegSimplePointExtension>')
  put('        </loc:tpegPointLocation>')
  put('    </ns2:pointLocation>')
  if (url !== undefined) put(`    ${element('fse:deviceUrl', url)}`)
  put('</ns2:device>')
}

/** The name of a province in this feed: upper case, the article after a comma (`BALEARS, ILLES`). */
function upperName(name: string): string {
  return name.replace(/ \((\p{Lu}+)\)$/u, ', $1')
}
