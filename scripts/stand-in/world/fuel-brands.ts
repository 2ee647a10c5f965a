/**
 * A brand: stations per thousand, price relative to the country's (€/L), and whether it is low-cost and open around the clock.
 */
export interface Brand {
  readonly name: string
  readonly weight: number
  readonly delta: number
  readonly isLowCost: boolean
}

// Names are facts of public record; `*` marks low-cost brands.
const ROWS = `
REPSOL 226 0.03, CEPSA 58 0.03, MOEVE 41 0.035, GALP 38 0, SHELL 28 -0.01, BALLENOIL* 29 -0.13, PLENERGY* 27 -0.12, PETROPRIX* 14 -0.135, PETRONOR 13 0.03, BP 13 0.02,
CARREFOUR 12 -0.03, AVIA 9 -0.02, Q8 7 -0.03, BONAREA* 5 -0.2, ESCLATOIL* 5 -0.15, CAMPSA 5 0, AGLA 4 -0.05, VALCARCE 4 0, ALCAMPO* 4 -0.15, EROSKI 3 -0.1, HAM 3 -0.06,
MEROIL 3 -0.04, ENI 3 0.01, GASEXPRESS* 3 -0.13, BEROIL 3 -0.07, TAMOIL* 2 -0.13, DISA 2 0, COOPERATIVA 6 -0.09, MOLGAS 2 0, IDS 2 -0.03, NIEVES 2 -0.05, NATURGY 2 0.01,
IBERDOEX 2 -0.03, PETROCAT 3 -0.02, AUTONETOIL* 2 -0.12, PCAN 2 -0.03, LECLERC* 2 -0.14, NINGUNO 2 -0.06, SIN ROTULO 2 -0.05, (SIN RÓTULO) 1 -0.05, NO TIENE 1 -0.05, LIBRE 1 -0.04
`

/** The known brands. */
export const BRANDS: readonly Brand[] = ROWS.replaceAll('\n', ' ')
  .split(',')
  .map((row) => {
    const words = row.trim().split(' ')
    const name = words.slice(0, -2).join(' ')
    return { name: name.replace('*', ''), weight: Number(words.at(-2)), delta: Number(words.at(-1)), isLowCost: name.endsWith('*') }
  })

/** Stations without a known brand, per thousand. */
export const OTHER_BRANDS = 380

/** Opening hours in the register's format, with their frequencies. */
export const OPENING_HOURS: readonly (readonly [string, number])[] = `
L-D: 24H=548|L-D: 06:00-22:00=157|L-D: 07:00-23:00=75|L-D: 07:00-22:00=31|L-D: 06:00-23:00=23|L-D: 06:30-22:30=17|L-D: 06:00-00:00=17|L: 24H=11|L-D: 07:00-21:00=9|
L: 06:00-22:00=8|L-D: 00:00-23:59=8|L: 07:00-23:00=7|L-D: 06:00-23:59=6|L-D: 05:00-23:00=6|L-D: 08:00-22:00=6|L-V: 06:00-22:00; S-D: 07:00-22:00=6|L: 07:00-22:00=5|
L-S: 06:00-22:00; D: 07:00-22:00=5|L-D: 7:00-21:00=5|L-D: 08:00-20:00=5|L-S: 07:00-22:00; D: 08:00-22:00=4|L-S: 06:00-22:00=4|L-V: 06:00-22:00=3|
L-V: 07:00-22:00; S: 08:00-22:00; D: 10:00-22:00=3|L-V: 09:00-13:00 y 15:00-18:00; S: 09:00-13:00=3|L-J: 06:00-01:00; V-S: 24H; D: 06:00-01:00=1|
L-V: 07:00-21:30; S: 08:00-14:00 y 17:00-21:30; D: 09:00-14:00=1|L-D: 06:00-13:59 y 14:00-23:00=1|L-V: 08:30-18:30=2|L-J: 05:00-23:00; V: 05:00-23:59; S: 00:00-23:59; D: 00:00-23:00=1|
L-S: 8:30-20:30=2|L-V: 07:30-13:30 y 16:30-19:00=1|L-X: 06:00-22:00; J-D: 24H=1|L-V: 06:00-21:00; S: 08:00-13:00=3
`
  .replaceAll('\n', '')
  .split('|')
  .map((item) => {
    const equals = item.lastIndexOf('=')
    return [item.slice(0, equals), Number(item.slice(equals + 1))]
  })

/** Towns with many stations: INE name and approximate number. */
export const BIG_TOWNS = `
Madrid 246, Murcia 111, Barcelona 83, Sevilla 78, Zaragoza 77, València 67, Córdoba 61, Málaga 60, Cartagena 59, Palma 58, Valladolid 58, Las Palmas de Gran Canaria 55,
Jerez de la Frontera 52, Alacant/Alicante 50, Albacete 45, Elx/Elche 44, Vitoria-Gasteiz 42, Badajoz 41, Vigo 39, El Ejido 38, Gijón 38, Terrassa 37, Castelló de la Plana 36,
Lorca 36, Almería 34, A Coruña 32, Alcorcón 32, Santa Cruz de Tenerife 32, Lleida 31, Leganés 31, Tarragona 31, Orihuela 30, Santander 30, Alcalá de Henares 30, Telde 30,
Santiago de Compostela 29, Granada 29, Marbella 29, Burgos 28, Getafe 28, Torrejón de Ardoz 28, San Cristóbal de La Laguna 28, Lugo 27, Dos Hermanas 27, Torrevieja 25,
Fuenlabrada 25, Molina de Segura 25, Sagunt/Sagunto 25, Mérida 24, Guadalajara 24, Irun 23, Jaén 23, León 23, Alcobendas 23, Antequera 23, Talavera de la Reina 23, Paterna 23,
Oviedo 22, Ciudad Real 22, Valdepeñas 22, Logroño 22, Siero 21, Sabadell 21, La Jonquera 21, Móstoles 21, Pamplona/Iruña 20, Bilbao 20, Donostia/San Sebastián 18, Huelva 20,
Cádiz 14, Cáceres 16, Salamanca 16, Toledo 16, Cuenca 12, Segovia 10, Soria 8, Teruel 9, Huesca 12, Ourense 14, Pontevedra 14, Palencia 12, Zamora 12, Ávila 10, Girona 14, Maó 6
`
  .replaceAll('\n', ' ')
  .split(',')
  .map((item): readonly [string, number] => {
    const blank = item.trim().lastIndexOf(' ')
    return [item.trim().slice(0, blank), Number(item.trim().slice(blank + 1))]
  })
