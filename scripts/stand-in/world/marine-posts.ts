import { chance } from '../random.ts'
import { type Gazetteer, type Municipality, readGazetteer } from './municipalities.ts'
import { defineWorldPart } from './world.ts'

/** A station that sells fuel to vessels. */
export interface MarinePost {
  readonly id: number
  readonly port: string
  readonly municipality: Municipality
  readonly address: string
  readonly sign: string
  readonly sale: string
  /** Null for the few posts without a published position. */
  readonly position: { readonly lat: number; readonly lon: number } | null
}

/** The price columns, by their names in both layouts. */
export const MARINE_COLUMNS = [
  { json: 'Precio Gasoleo A habitual', sheet: 'Precio gasóleo A' },
  { json: 'Precio Gasoleo B', sheet: 'Precio gasóleo B' },
  { json: 'Precio Gasolina 95 E10', sheet: 'Precio gasolina 95 E10' },
  { json: 'Precio Gasolina 95 E5', sheet: 'Precio gasolina 95 E5' },
  { json: 'Precio Gasóleo para uso marítimo', sheet: 'Precio gasóleo de uso marítimo' },
] as const

type PriceColumn = (typeof MARINE_COLUMNS)[number]['json']

// Names and positions of ports are facts of public record; the town is the municipality in the register.
const PORTS = `
Puerto de Alicante|Alacant/Alicante|38.3385|-0.4852;Puerto de Altea|Altea|38.5898|-0.0552;Puerto de Calpe|Calp|38.6379|0.0708;Marina de Dénia|Dénia|38.8449|0.1150
Marina Santa Pola|Santa Pola|38.1886|-0.5583;Puerto de Torrevieja|Torrevieja|37.9740|-0.6838;Puerto de Almería|Almería|36.8315|-2.4835;Almerimar|El Ejido|36.6969|-2.7946
Puerto de Gijón|Gijón|43.5470|-5.6690;Puerto de Avilés|Avilés|43.5600|-5.9280;Club de Mar de Palma|Palma|39.5522|2.6260;Puerto de Maó|Maó|39.8883|4.2700
Puerto de Ciutadella|Ciutadella de Menorca|39.9998|3.8350;Marina Ibiza|Eivissa|38.9180|1.4440;Port Vell|Barcelona|41.3760|2.1840;Aiguadolç|Sitges|41.2350|1.8250
Puerto de Vilanova|Vilanova i la Geltrú|41.2130|1.7300;Puerto de Bermeo|Bermeo|43.4200|-2.7200;Puerto de Santander|Santander|43.4550|-3.8160;Puerto de Laredo|Laredo|43.4130|-3.4260
Puerto de Castellón|Castelló de la Plana|39.9700|0.0200;Puerto de A Coruña|A Coruña|43.3640|-8.3900;Puerto de Sada|Sada|43.3600|-8.2450;Puerto de Laxe|Laxe|43.2210|-9.0030
Puerto de Algeciras|Algeciras|36.1280|-5.4360;Marina de Barbate|Barbate|36.1840|-5.9340;Puerto Sherry|El Puerto de Santa María|36.5800|-6.2530;Puerto de Hondarribia|Hondarribia|43.3780|-1.7920
Puerto de Palamós|Palamós|41.8440|3.1190;Puerto de Roses|Roses|42.2550|3.1790;Puerto de Motril|Motril|36.7230|-3.5240;Puerto de Isla Cristina|Isla Cristina|37.1980|-7.3260
Puerto de Huelva|Huelva|37.2440|-6.9530;Puerto de Burela|Burela|43.6580|-7.3540;Puerto de Cartagena|Cartagena|37.5960|-0.9800;Puerto de Águilas|Águilas|37.4030|-1.5790
Puerto de Málaga|Málaga|36.7130|-4.4180;Puerto Banús|Marbella|36.4860|-4.9540;Puerto de Las Palmas|Las Palmas de Gran Canaria|28.1290|-15.4260;Marina Lanzarote|Arrecife|28.9660|-13.5370
Marina Rubicón|Yaiza|28.8580|-13.8170;Puerto de Vigo|Vigo|42.2440|-8.7250;Puerto de Sanxenxo|Sanxenxo|42.3980|-8.8030;Marina Santa Cruz|Santa Cruz de Tenerife|28.4660|-16.2460
Puerto de Los Cristianos|Arona|28.0490|-16.7170;Puerto de Cambrils|Cambrils|41.0630|1.0600;Puerto de Tarragona|Tarragona|41.1050|1.2400;Marina Real|València|39.4610|-0.3240
Puerto de Gandía|Gandia|38.9950|-0.1520;Puerto de Burriana|Borriana/Burriana|39.8560|-0.0690`

const SIGNS = ['REPSOL', 'REPSOL', 'REPSOL', 'CEPSA', 'DISA', 'GALP', '', 'NINGUNO', 'NO HAY', 'SIN ROTULO', 'COFRADIA DE PESCADORES']
const KINDS = [
  ['MUELLE PESQUERO, S/Nº', 'Suministro a pesqueros'],
  ['PUERTO DEPORTIVO, S/N', 'Suministro a barcos deportivos o de recreo'],
  ['MUELLE COMERCIAL, 2', 'Mixto'],
] as const
/** Share of the posts without a position in the register. */
const WITHOUT_POSITION = 0.05

/** The posts: up to three in each port. */
export const marinePosts = defineWorldPart(({ seed }): readonly MarinePost[] => {
  const gazetteer = readGazetteer()
  const ports = PORTS.trim().split(/[\n;]/)
  return ports.flatMap((text, at) => {
    const posts = KINDS.flatMap((kind, nth) =>
      nth < 2 || chance(seed, 'marine kind', at) < 0.75 ? [postOf(gazetteer, seed, { text, kind, id: 10 * at + nth })] : [],
    )
    return posts
  })
})

function postOf(gazetteer: Gazetteer, seed: number, of: { text: string; kind: (typeof KINDS)[number]; id: number }): MarinePost {
  const { text, kind, id } = of
  const [port = '', town = '', lat, lon] = text.split('|')
  const municipality = gazetteer.named(town)
  const draw = (name: string): number => chance(seed, name, id)
  return {
    id: 100 + id,
    port: port.toUpperCase(),
    municipality,
    address: kind[0],
    sign: SIGNS[Math.floor(draw('marine sign') * SIGNS.length)] as string,
    sale: kind[1],
    position: draw('marine position') < WITHOUT_POSITION ? null : { lat: Number(lat), lon: Number(lon) },
  }
}

/**
 * The price of a product at a post on a day (days since 1970), with a decimal comma; diesel B per 1000 litres; '' if not sold.
 */
export function marinePriceText(seed: number, post: MarinePost, column: PriceColumn, day: number): string {
  const isFor = (sale: RegExp): boolean => sale.test(post.sale)
  // A post changes its prices every few days.
  const step = Math.floor((day + post.id) / (3 + (post.id % 6)))
  const level = 0.06 * (chance(seed, 'marine price', post.id, column, step) - 0.5)
  const price = {
    'Precio Gasoleo A habitual': isFor(/recreo|Mixto/) ? 1.52 + level : null,
    'Precio Gasoleo B': isFor(/pesquero|Mixto/) ? 1000 * (0.72 + level) : null,
    'Precio Gasolina 95 E10': post.id % 47 === 1 ? 1.61 + level : null,
    'Precio Gasolina 95 E5': isFor(/recreo|Mixto/) ? 1.63 + level : null,
    'Precio Gasóleo para uso marítimo': isFor(/Mixto/) && post.id % 4 === 0 ? 1000 * (0.68 + level) : null,
  }[column]
  return price === null ? '' : price.toFixed(3).replace('.', ',')
}
