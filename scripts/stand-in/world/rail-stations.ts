/** A real station: names and positions are facts of public record. */
export interface RealStation {
  readonly code: string
  readonly name: string
  readonly lat: number
  readonly lon: number
}

/** The main stations of cities, by name of the city. */
const MAIN = `
Madrid=17000 Madrid-Chamartín-Clara Campoamor 40.4712 -3.683|Barcelona=71801 Barcelona-Sants 41.3799 2.141|València=65000 València-Estació del Nord 39.4669 -0.3772|
Sevilla=51003 Sevilla-Santa Justa 37.3925 -5.9749|Zaragoza=70807 Zaragoza-Goya 41.6439 -0.8913|Málaga=54413 Málaga María Zambrano 36.7113 -4.4314|
Murcia=61200 Murcia del Carmen 37.9748 -1.1315|Oviedo=15211 Oviedo 43.3664 -5.8548|Santander=14223 Santander 43.4584 -3.811|
Bilbao=13200 Bilbao-Intermod. Abando Indalecio Prieto 43.2601 -2.9286|Donostia/San Sebastián=11511 San Sebastián-Donostia 43.3177 -1.9767|
León=15100 León 42.596 -5.5824|Jerez de la Frontera=51300 Jerez de la Frontera 36.68 -6.1266|Valladolid=10600 Valladolid-Campo Grande 41.6422 -4.727|
Córdoba=50500 Córdoba-Julio Anguita 37.8883 -4.7895|A Coruña=31412 A Coruña 43.3497 -8.4156|Pamplona/Iruña=80100 Pamplona/Iruña 42.8249 -1.6614|
Burgos=11014 Burgos-Rosa Manzano 42.3712 -3.6663|Salamanca=30100 Salamanca 40.9722 -5.649|Badajoz=37606 Badajoz 38.8907 -6.9818|Cáceres=35400 Cáceres 39.4611 -6.3857|
Cádiz=51405 Cádiz 36.5289 -6.288|Albacete=60600 Albacete-Los Llanos 38.9994 -1.8484|Cuenca=03208 Cuenca-Fernando Zóbel 40.0352 -2.1444|
Lleida=78400 Lleida-Pirineus 41.6201 0.6337|Tarragona=04104 Camp de Tarragona 41.1921 1.2727|Girona=79300 Girona 41.9794 2.8169|Ourense=22100 Ourense 42.3504 -7.8728`

/** High-speed stations that differ from the city's main station. */
const HIGH_SPEED = `
Madrid=60000 Madrid-Puerta de Atocha-Almudena Grandes 40.4064 -3.6909|València=03216 València-Joaquín Sorolla 39.4591 -0.3829|
Zaragoza=04040 Zaragoza Delicias 41.6587 -0.9113`

/** Stops of commuter networks by code, the best known first. */
const COMMUTER: Readonly<Record<string, string>> = {
  10: `18000 Madrid-Atocha Cercanías 40.4066 -3.6894|35001 Leganés 40.3286 -3.7713|70103 Alcalá de Henares 40.4891 -3.3662|37002 Getafe-Centro 40.31 -3.734|
35002 Fuenlabrada 40.2834 -3.7994|35606 Móstoles 40.3287 -3.8636|37012 Parla 40.2411 -3.7693|10200 Villalba de Guadarrama 40.6265 -4.008|35605 Alcorcón 40.3502 -3.8317|
18002 Madrid-Nuevos Ministerios 40.4466 -3.6923|17009 Universidad-Cantoblanco 40.5438 -3.7002|18101 Sol 40.4169 -3.7029|18003 Méndez Álvaro P.V. 40.3958 -3.6778|
18001 Madrid-Recoletos 40.4234 -3.6909|35600 Aluche 40.3857 -3.7607|35609 Embajadores 40.4046 -3.7026|60100 Madrid-Villaverde Bajo 40.3527 -3.6839|
35603 Cuatro Vientos 40.3778 -3.7915|35009 Zarzaquemada 40.3409 -3.7483|17001 Fuencarral 40.5016 -3.6825|35607 Móstoles-El Soto 40.3311 -3.8825`,
  20: `15410 Gijón-Sanz Crespo 43.5377 -5.6758|16403 Avilés 43.5613 -5.9228|05509 El Berrón 43.3827 -5.7027|15300 Lugo de Llanera 43.4423 -5.8159|
15217 La Corredoria 43.3881 -5.8273|15400 Veriña 43.5416 -5.7228|15301 Villabona de Asturias 43.4615 -5.8263`,
  30: '51103 Dos Hermanas 37.2872 -5.9235|51200 Utrera 37.1848 -5.7908|51100 San Bernardo 37.3778 -5.9796|51111 Bellavista 37.3215 -5.9642',
  31: '51405 Cádiz 36.5289 -6.288|51406 San Fernando-Bahía Sur 36.4681 -6.2068|51400 Puerto de Santa María 36.6041 -6.2179',
  32: '54516 Fuengirola 36.5419 -4.6239|54515 Los Boliches 36.5547 -4.6146|54517 Málaga-Centro Alameda 36.716 -4.4265|54514 Torreblanca del Sol 36.5649 -4.6067',
  40: `65300 Castelló de la Plana 39.9885 -0.0523|64100 Xàtiva 38.9921 -0.5245|64200 Silla 39.362 -0.415|64201 Catarroja 39.4 -0.3992|64105 Algemesí 39.1931 -0.4409|
64107 Benifaió 39.2843 -0.43|65002 València-La Font de Sant Lluís 39.4416 -0.3714|64203 Alfafar-Benetússer 39.4224 -0.3926`,
  41: '60911 Alicante/Alacant-Terminal 38.3447 -0.4955|62103 Elche/Elx-Parc 38.2718 -0.6952|62101 Crevillente 38.2246 -0.7815|62002 Orihuela-Miguel Hernández 38.0779 -0.9446',
  45: '05977 Los Nietos 37.6518 -0.7971',
  46: '05107 Xuvia 43.5172 -8.1613',
  47: '05803 La Asunción Universidad 42.6161 -5.5661|05776 San Feliz 42.6823 -5.5379',
  51: `71802 Barcelona-Passeig de Gràcia 41.3921 2.1653|78805 Barcelona Plaça de Catalunya 41.3879 2.1697|79400 Barcelona Estació de França 41.3845 2.1853|
79500 Mataró 41.5334 2.4455|77109 Vic 41.9311 2.2489|71700 Vilanova i la Geltrú 41.2203 1.7308|71600 Sant Vicenç de Calders 41.1862 1.5248|79404 Badalona 41.4459 2.2489|
72305 L'Hospitalet de Llobregat 41.3642 2.1009|77006 Granollers-Canovelles 41.6115 2.2769|71705 Castelldefels 41.279 1.9792|71706 Gavà 41.3035 2.0105|
71707 El Prat de Llobregat 41.3309 2.0893|77102 La Garriga 41.6846 2.2888|77105 Centelles 41.7994 2.2226|72209 Martorell Central 41.4793 1.9253|79104 Sant Celoni 41.6858 2.4907|
78804 Barcelona Arc de Triomf 41.3919 2.1806|79009 Barcelona El Clot 41.4093 2.1872|79409 Premià de Mar 41.4878 2.3549|79407 El Masnou 41.477 2.3104|
79403 Sant Adrià de Besòs 41.4244 2.2305|71709 Viladecans 41.3095 2.0274|77004 Mollet-Santa Rosa 41.5367 2.2062`,
  60: `13400 Desertu-Barakaldo 43.3 -2.9844|13208 San Mamés 43.2615 -2.9488|13120 Miribilla 43.2504 -2.9305|13304 Zorrotza 43.2778 -2.9721|13206 Ametzola 43.2547 -2.9437|
13303 Olabeaga 43.2644 -2.9553|13305 Lutxana-Barakaldo 43.2878 -2.9754`,
  61: '11600 Irun 43.3395 -1.8013|11500 Tolosa 43.1354 -2.0791|11508 Hernani 43.2725 -1.9638|11404 Beasain 43.0463 -2.2023|11400 Zumarraga 43.0871 -2.3202',
  62: '05621 Torrelavega-Centro 43.351 -4.0512|05657 Astillero 43.4037 -3.8207|05605 Bezana 43.4409 -3.8996|05602 Valdecilla la Marga 43.4529 -3.8282',
  70: '71100 Zaragoza-Miraflores 41.6334 -0.8682|70806 Zaragoza-Portillo 41.6527 -0.8959',
}

/** Stations of towns along long-distance lines. */
const TOWNS = `
11200 Miranda de Ebro 42.691 -2.9404|08004 Segovia-Guiomar 40.9106 -4.0946|11208 Vitoria-Gasteiz 42.8415 -2.6726|04307 Figueres-Vilafant 42.2648 2.9435|14100 Palencia 42.0157 -4.5341|
60902 Villena 38.6317 -0.8677|37200 Ciudad Real 38.9853 -3.9136|31400 Santiago de Compostela-Daniel Castelao 42.8708 -8.5447|70600 Calatayud 41.3467 -1.6387|
81202 Tudela de Navarra 42.0594 -1.5979|60400 Alcázar de San Juan 39.3956 -3.2057|81200 Castejón de Ebro 42.1727 -1.6921|35200 Talavera de la Reina 39.9707 -4.8265|
37500 Mérida 38.9215 -6.3438|10500 Medina del Campo 41.3176 -4.9099|80108 Tafalla 42.5258 -1.6715|23004 Pontevedra 42.422 -8.6355|02003 Antequera-Santa Ana 37.0699 -4.719|
37300 Puertollano 38.6913 -4.1117|11300 Altsasu 42.8948 -2.1812|04007 Guadalajara-Yebes 40.5873 -3.1243|50100 Manzanares 39.0058 -3.3705|60500 Villarrobledo 39.2609 -2.5986|
03100 Jaén 37.7798 -3.7908|60402 Campo de Criptana 39.3943 -3.1177|10400 Ávila 40.6573 -4.6833|35206 Navalmoral de la Mata 39.8949 -5.5456|50506 Palma del Río 37.7181 -5.2928`

const rows = (text: string): string[] =>
  text
    .replaceAll('\n', '')
    .split('|')
    .filter((row) => row !== '')

function stationOf(row: string): RealStation {
  const [code, ...words] = row.split(' ') as [string, ...string[]]
  return { code, name: words.slice(0, -2).join(' '), lat: Number(words.at(-2)), lon: Number(words.at(-1)) }
}

function byCity(text: string): ReadonlyMap<string, RealStation> {
  return new Map(
    rows(text).map((row) => {
      const [city, station] = row.split('=') as [string, string]
      return [city, stationOf(station)]
    }),
  )
}

/** The main station of each city. */
export const MAIN_STATIONS = byCity(MAIN)
/** The high-speed station of cities where it differs. */
export const HIGH_SPEED_STATIONS = byCity(HIGH_SPEED)
/** Stops of each commuter network, the best known first. */
export const COMMUTER_STOPS: ReadonlyMap<string, readonly RealStation[]> = new Map(
  Object.entries(COMMUTER).map(([nucleo, text]) => [nucleo, rows(text).map(stationOf)]),
)
/** Stations of towns. */
export const TOWN_STATIONS: readonly RealStation[] = rows(TOWNS).map(stationOf)

/** Codes in use: generated stations get others. */
export const REAL_CODES: ReadonlySet<string> = new Set(
  [...MAIN_STATIONS.values(), ...HIGH_SPEED_STATIONS.values(), ...[...COMMUTER_STOPS.values()].flat(), ...TOWN_STATIONS].map(
    ({ code }) => code,
  ),
)
