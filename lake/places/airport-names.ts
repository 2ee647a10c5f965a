/** Names of an airport: the official one in Spanish and in a co-official language of its place, and others in common use. */
export interface AirportNames {
  readonly es: string
  readonly ca?: string
  readonly eu?: string
  readonly gl?: string
  /** Short and former names, in any language. */
  readonly also: readonly string[]
}

/** Spanish airports: IATA code, name in Spanish, then names by language (`ca:`, `eu:`, `gl:`) and others, separated by `|`. */
const TABLE = `
ABC|Aeropuerto de Albacete|Los Llanos
ACE|Aeropuerto César Manrique-Lanzarote|Lanzarote|Arrecife
AEI|Helipuerto de Algeciras
AGP|Aeropuerto de Málaga-Costa del Sol|Málaga|Pablo Picasso
ALC|Aeropuerto de Alicante-Elche Miguel Hernández|ca:Aeroport d'Alacant-Elx Miguel Hernández|Alicante|Alacant|El Altet
BCN|Aeropuerto Josep Tarradellas Barcelona-El Prat|ca:Aeroport Josep Tarradellas Barcelona-el Prat|El Prat|T1|T2
BIO|Aeropuerto de Bilbao|eu:Bilboko aireportua|Bilbao|Loiu|Sondika
BJZ|Aeropuerto de Badajoz|Talavera la Real
CDT|Aeropuerto de Castellón-Costa Azahar|ca:Aeroport de Castelló-Costa Azahar|Castellón
CQM|Aeropuerto de Ciudad Real|Ciudad Real Internacional
EAS|Aeropuerto de San Sebastián|eu:Donostiako aireportua|San Sebastián|Hondarribia|Fuenterrabía
FUE|Aeropuerto de Fuerteventura|Fuerteventura|El Matorral
GMZ|Aeropuerto de La Gomera|La Gomera
GRO|Aeropuerto de Girona-Costa Brava|ca:Aeroport de Girona-Costa Brava|Girona|Gerona
GRX|Aeropuerto Federico García Lorca Granada-Jaén|Granada
HSK|Aeropuerto de Huesca-Pirineos|Huesca
IBZ|Aeropuerto de Ibiza|ca:Aeroport d'Eivissa|Ibiza|Eivissa
ILD|Aeropuerto de Lleida-Alguaire|ca:Aeroport de Lleida-Alguaire|Lleida|Lérida
JCU|Helipuerto de Ceuta
LCG|Aeropuerto de A Coruña|gl:Aeroporto da Coruña|A Coruña|La Coruña|Alvedro
LEI|Aeropuerto de Almería|Almería
LEN|Aeropuerto de León|Virgen del Camino
LEU|Aeropuerto de Andorra-La Seu d'Urgell|ca:Aeroport d'Andorra-la Seu d'Urgell|Seo de Urgel
LPA|Aeropuerto de Gran Canaria|Gran Canaria|Gando|Las Palmas
MAD|Aeropuerto Adolfo Suárez Madrid-Barajas|Barajas|Madrid-Barajas|T1|T2|T3|T4|T4S
MAH|Aeropuerto de Menorca|ca:Aeroport de Menorca|Menorca|Mahón|Maó
MLN|Aeropuerto de Melilla
ODB|Aeropuerto de Córdoba
OVD|Aeropuerto de Asturias|Asturias|Ranón|Oviedo
PMI|Aeropuerto de Palma de Mallorca|ca:Aeroport de Palma|Palma|Son Sant Joan|Mallorca
PNA|Aeropuerto de Pamplona|eu:Iruñeko aireportua|Pamplona|Noáin
REU|Aeropuerto de Reus|ca:Aeroport de Reus|Reus
RGS|Aeropuerto de Burgos|Villafría
RJL|Aeropuerto de Logroño-Agoncillo|Logroño
RMU|Aeropuerto Internacional de la Región de Murcia|Murcia|Corvera|Juan de la Cierva
SCQ|Aeropuerto Santiago-Rosalía de Castro|gl:Aeroporto Santiago-Rosalía de Castro|Santiago|Lavacolla
SDR|Aeropuerto Seve Ballesteros-Santander|Santander|Parayas
SLM|Aeropuerto de Salamanca|Matacán
SPC|Aeropuerto de La Palma|La Palma|Mazo
SVQ|Aeropuerto de Sevilla|Sevilla|San Pablo
TEV|Aeropuerto de Teruel|Caudé
TFN|Aeropuerto de Tenerife Norte-Ciudad de La Laguna|Tenerife Norte|Los Rodeos
TFS|Aeropuerto de Tenerife Sur|Tenerife Sur|Reina Sofía
VDE|Aeropuerto de El Hierro|El Hierro
VGO|Aeropuerto de Vigo|gl:Aeroporto de Vigo|Vigo|Peinador
VIT|Aeropuerto de Vitoria|eu:Gasteizko aireportua|Vitoria|Foronda
VLC|Aeropuerto de Valencia|ca:Aeroport de València|Valencia|Manises
VLL|Aeropuerto de Valladolid|Villanubla
XRY|Aeropuerto de Jerez|Jerez|La Parra
ZAZ|Aeropuerto de Zaragoza|Zaragoza`

const NAMES: ReadonlyMap<string, AirportNames> = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => {
      const [iata = '', es = '', ...others] = line.split('|')
      const own = others.flatMap((one) => /^(ca|eu|gl):(.*)$/.exec(one)?.slice(1, 3) ?? [])
      const also = others.filter((one) => !/^(ca|eu|gl):/.test(one))
      return [iata, { es, ...(own.length > 0 ? { [own[0] as string]: own[1] } : {}), also }]
    }),
)

/** The names of a Spanish airport by its IATA code; undefined for airports outside the table. */
export function airportNames(iata: string): AirportNames | undefined {
  return NAMES.get(iata)
}
