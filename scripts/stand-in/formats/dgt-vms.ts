import type { PanelMessage, PanelPage } from '../world/panels.ts'
import { isoLocal } from '../world/rhythm.ts'
import { dgtPublication } from './dgt-datex.ts'
import type { Xml } from './xml.ts'

const ICONS = 'https://etraffic.dgt.es/estaticosEtraffic/Iconografia/pictogramas'

/** DGT's panel messages. `publishedAt` in ms; with `hasUnknownCodes` one panel in forty has a display of an unknown type. */
export function dgtVmsMessages(
  messages: readonly PanelMessage[],
  { publishedAt, hasUnknownCodes }: { readonly publishedAt: number; readonly hasUnknownCodes: boolean },
): string {
  return dgtPublication(
    {
      ...{ type: 'vms:VmsPublication', profile: 'VMSPublication', description: 'Publicación de paneles de mensaje variable.', publishedAt },
      '@xsi:schemaLocation':
        'http://levelC/schema/3/d2Payload https://nap.dgt.es/datex2/v3/dgt/VmsPublication/xsd/3.7_1.0/LevelC_3_D2Payload.xsd',
      namespaces: { com: 'common', cse: 'commonSpanishExtension', vms: 'vms' },
    },
    {
      'vms:headerInformation': { 'com:informationStatus': 'real' },
      'vms:vmsControllerStatus': messages.map((message, nth) => controllerXml(message, hasUnknownCodes && nth % 40 === 7)),
    },
  )
}

function controllerXml({ panel, setAt, pages }: PanelMessage, isOdd: boolean): Xml {
  return {
    'vms:vmsControllerTableReference': { '@targetClass': 'vms:VmsControllerTable', '@id': '' },
    'vms:vmsControllerReference': { '@targetClass': 'vms:VmsController', '@id': panel },
    'vms:vmsStatus': {
      '@vmsIndex': 1,
      'vms:vmsStatus': {
        'vms:vmsMessage': pages.map((page, nth) => ({
          '@messageIndex': nth + 1,
          'vms:vmsMessage': { 'vms:timeLastSet': isoLocal(setAt), 'vms:displayAreaSettings': areasOf(page, isOdd) },
        })),
      },
    },
  }
}

/** The areas of a page. The text is always the last one, whatever their number. */
function areasOf({ left, right, text }: PanelPage, isOdd: boolean): Xml[] {
  const shown = text ?? (isOdd ? 'X' : null)
  return [
    pictogram(1, left),
    right === null ? null : pictogram(3, right),
    shown === null
      ? null
      : {
          '@displayAreaIndex': 2,
          'vms:displayAreaSettings': {
            '@xsi:type': `vms:${isOdd ? 'AdvertisingDisplay' : 'TextDisplay'}`,
            'vms:textLine': { '@lineIndex': 1, 'vms:textLine': { 'vms:textLine': shown, 'vms:lineFlashing': 'false' } },
          },
        },
  ]
}

function pictogram(area: number, code: string): Xml {
  return {
    '@displayAreaIndex': area,
    'vms:displayAreaSettings': {
      '@xsi:type': 'vms:PictogramDisplay',
      'vms:pictogramDisplayUrl': `${ICONS}/${code}.png`,
      'vms:pictogram': {
        ...{ '@xsi:type': 'vms:RegularPictogram', 'vms:customPictogramCode': code, 'vms:pictogramFlashing': 'false' },
      },
    },
  }
}
