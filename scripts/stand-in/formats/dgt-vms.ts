import type { PanelMessage, PanelPage } from '../world/panels.ts'
import { isoLocal } from '../world/rhythm.ts'
import { DECLARATION, element } from './dgt-datex.ts'
import { escapeText } from './xml.ts'

/** The options of a document. */
interface Options {
  readonly publishedAt: number
  readonly hasUnknownCodes: boolean
}

const ICONS = 'https://etraffic.dgt.es/estaticosEtraffic/Iconografia/pictogramas'

/** One record in forty has an unknown code. */
const isOdd = (nth: number): boolean => nth % 40 === 7

/** A `VmsPublication` of DGT's DATEX II profile 3.7: the message of each panel. */
export function dgtVmsMessages(messages: readonly PanelMessage[], { publishedAt, hasUnknownCodes }: Options): string {
  const lines = [
    DECLARATION,
    '<d2:payload xsi:type="vms:VmsPublication" lang="es" modelBaseVersion="3" profileName="DGT (Spain) Profile VMSPublication" profileVersion="3.7_1.0"' +
      ' xsi:schemaLocation="http://levelC/schema/3/d2Payload https://nap.dgt.es/datex2/v3/dgt/VmsPublication/xsd/3.7_1.0/LevelC_3_D2Payload.xsd"' +
      ' xmlns:com="http://levelC/schema/3/common" xmlns:cse="http://levelC/schema/3/commonSpanishExtension" xmlns:vms="http://levelC/schema/3/vms"' +
      ' xmlns:d2="http://levelC/schema/3/d2Payload" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
    '    <com:feedDescription>',
    '        <com:values>',
    '            <com:value>Publicación de paneles de mensaje variable.</com:value>',
    '        </com:values>',
    '    </com:feedDescription>',
    `    <com:publicationTime>${isoLocal(publishedAt)}</com:publicationTime>`,
    '    <com:publicationCreator>',
    '        <com:country>es</com:country>',
    '        <com:nationalIdentifier>DGT</com:nationalIdentifier>',
    '    </com:publicationCreator>',
    '    <vms:headerInformation>',
    '        <com:informationStatus>real</com:informationStatus>',
    '    </vms:headerInformation>',
  ]
  for (const [nth, message] of messages.entries()) pushController(lines, message, hasUnknownCodes && isOdd(nth))
  lines.push('</d2:payload>', '')
  return lines.join('\n')
}

function pushController(lines: string[], { panel, setAt, pages }: PanelMessage, isOddOne: boolean): void {
  const put = (line: string): number => lines.push(`    ${line}`)
  put('<vms:vmsControllerStatus>')
  put('    <vms:vmsControllerTableReference targetClass="vms:VmsControllerTable" id=""/>')
  put(`    <vms:vmsControllerReference targetClass="vms:VmsController" id="${panel}"/>`)
  put('    <vms:vmsStatus vmsIndex="1">')
  if (pages.length === 0) put('        <vms:vmsStatus/>')
  else {
    put('        <vms:vmsStatus>')
    for (const [nth, page] of pages.entries()) pushPage(lines, page, { number: nth + 1, setAt, isOdd: isOddOne })
    put('        </vms:vmsStatus>')
  }
  put('    </vms:vmsStatus>')
  put('</vms:vmsControllerStatus>')
}

function pushPage(lines: string[], page: PanelPage, of: { number: number; setAt: number; isOdd: boolean }): void {
  const put = (line: string): number => lines.push(`                ${line}`)
  put(`<vms:vmsMessage messageIndex="${of.number}">`)
  put('    <vms:vmsMessage>')
  put(`        ${element('vms:timeLastSet', isoLocal(of.setAt))}`)
  pushPictogram(lines, 1, page.left)
  // The text is always the last area, whatever their number.
  if (page.right !== null) pushPictogram(lines, 3, page.right)
  if (page.text !== null) pushText(lines, page.text, of.isOdd ? 'AdvertisingDisplay' : 'TextDisplay')
  else if (of.isOdd) pushText(lines, 'X', 'AdvertisingDisplay')
  put('    </vms:vmsMessage>')
  put('</vms:vmsMessage>')
}

function pushPictogram(lines: string[], area: number, code: string): void {
  const put = (line: string): number => lines.push(`                        ${line}`)
  put(`<vms:displayAreaSettings displayAreaIndex="${area}">`)
  put('    <vms:displayAreaSettings xsi:type="vms:PictogramDisplay">')
  put(`        <vms:pictogramDisplayUrl>${ICONS}/${code}.png</vms:pictogramDisplayUrl>`)
  put('        <vms:pictogram xsi:type="vms:RegularPictogram">')
  put(`            <vms:customPictogramCode>${code}</vms:customPictogramCode>`)
  put('            <vms:pictogramFlashing>false</vms:pictogramFlashing>')
  put('        </vms:pictogram>')
  put('    </vms:displayAreaSettings>')
  put('</vms:displayAreaSettings>')
}

function pushText(lines: string[], text: string, type: string): void {
  const put = (line: string): number => lines.push(`                        ${line}`)
  put('<vms:displayAreaSettings displayAreaIndex="2">')
  put(`    <vms:displayAreaSettings xsi:type="vms:${type}">`)
  put('        <vms:textLine lineIndex="1">')
  put('            <vms:textLine>')
  put(`                <vms:textLine>${escapeText(text).replaceAll('\r', '&#13;')}</vms:textLine>`)
  put('                <vms:lineFlashing>false</vms:lineFlashing>')
  put('            </vms:textLine>')
  put('        </vms:textLine>')
  put('    </vms:displayAreaSettings>')
  put('</vms:displayAreaSettings>')
}
