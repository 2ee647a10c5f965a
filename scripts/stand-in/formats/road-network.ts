import type { NetworkPost, NetworkSection, ProvinceNetwork } from '../world/road-sections.ts'
import type { LayerToWrite } from './geopackage.ts'

const texts = (names: string): Record<string, 'TEXT' | 'INTEGER'> => Object.fromEntries(names.split(' ').map((name) => [name, 'TEXT']))
const SECTION_COLUMNS = {
  ...texts('id_tramo id_vial nombre nombre_alt codigo tipo_tramo tipo_tramd tipo_vial tipo_viald clase clased titular titulard calzada'),
  ncarriles: 'INTEGER',
  sentido: 'INTEGER',
  ...texts('estadofis estadofisd'),
} as const
const POST_COLUMNS = texts('id_porpk id_tramo id_vial nombre rotulo numero')
const STREET = 'CALLE DE PRUEBA'

/** What a file of the network has beside the network. */
export interface NetworkOptions {
  readonly hasHeights: boolean
  readonly hasUnknownCodes: boolean
}

/** The layers of a province's file of IGN's transport network: sections, and posts together with house numbers. */
export function networkLayers(network: ProvinceNetwork, options: NetworkOptions): LayerToWrite[] {
  const roads = new Map(network.sections.map(({ vial, road }) => [vial, road]))
  const first = network.sections[0]
  return [
    {
      ...{ name: 'rt_tramo_vial', columns: SECTION_COLUMNS, geometry: 'LINESTRING', hasHeights: options.hasHeights },
      features: [
        ...network.sections.map((section, nth) => ({
          values: sectionValues(section, options.hasUnknownCodes && nth === 0),
          line: section.line,
        })),
        ...(first ? [{ values: streetValues(), line: first.line }] : []),
      ],
    },
    {
      ...{ name: 'rt_portalpk_p', columns: POST_COLUMNS, geometry: 'POINT', hasHeights: options.hasHeights },
      features: [
        ...network.posts.map((post) => ({ values: postValues(post, roads.get(post.vial) ?? ''), line: [post.at] })),
        ...(first ? ['12', 'S/N'].map((number) => ({ values: houseValues(number), line: first.line.slice(0, 1) })) : []),
      ],
    },
  ]
}

function sectionValues({ id, vial, road, type, sense, isState }: NetworkSection, isUnknown: boolean): (string | number | null)[] {
  const code = type === 'Troncal' ? '1' : '2'
  const holder = isState ? ['1', 'Estado'] : ['2', 'Comunidad autónoma']
  const kind = [code, isUnknown ? 'Teleférico' : type, '1', 'Carretera', '-997', '']
  return [...[id, vial, road, null, road], ...kind, ...holder, ...['-998', 2, sense, '1', 'En servicio']]
}

function streetValues(): (string | number | null)[] {
  const kind = ['1', 'Troncal', '2', 'Urbano', '-998', '', '-998', '', '-998', 1, 3, '1', 'En servicio']
  return [...['400000000001', '400000000002', STREET, null, 'DESCONOCIDO'], ...kind]
}

/** A post's kilometre is a text with a decimal comma. */
function postValues({ id, vial, km }: NetworkPost, road: string): string[] {
  return [id, '', vial, road, '', km.toFixed(1).replace('.', ',')]
}

const houseValues = (number: string): string[] => [`5000000000${number.length}`, '400000000001', '400000000002', STREET, '', number]
