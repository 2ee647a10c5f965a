import { SPANISH_AIRPORTS } from '../../../../lake/places/airports.ts'

/** A Spanish airport: its name, its position and its number of flights. */
export interface Airport {
  readonly iata: string
  readonly icao: string
  readonly name: string
  readonly municipality: string
  readonly lat: number
  readonly lon: number
  readonly elevation_ft: number
  /** Movements of a normal year, in thousands. */
  readonly movements_k: number
  readonly zone: 'Europe/Madrid' | 'Atlantic/Canary'
  /** Another name. */
  readonly keywords: string | null
}

const KEYWORDS: Readonly<Record<string, string>> = {
  ...{ MAD: 'Barajas', BCN: 'El Prat', LPA: 'Gando', TFN: 'Los Rodeos', OVD: 'Ranón, Oviedo' },
}

/** IATA code, name, town, latitude, longitude, elevation in feet, thousand movements a year. */
const TABLE = `
MAD|Adolfo Suárez Madrid–Barajas Airport|Madrid|40.4719|-3.5626|1998|420
BCN|Josep Tarradellas Barcelona-El Prat Airport|Barcelona|41.2971|2.0785|12|347
PMI|Palma de Mallorca Airport|Palma de Mallorca|39.5517|2.7388|27|244
AGP|Málaga-Costa del Sol Airport|Málaga|36.6749|-4.4991|53|175
LPA|Gran Canaria Airport|Gran Canaria Island|27.9319|-15.3866|78|130
ALC|Alicante-Elche Miguel Hernández Airport|Alicante|38.2822|-0.5582|142|119
TFN|Tenerife Norte-Ciudad de La Laguna Airport|Tenerife|28.4827|-16.3415|2076|82
IBZ|Ibiza Airport|Ibiza|38.8729|1.3731|24|84
VLC|Valencia Airport|Valencia|39.4893|-0.4816|240|84
TFS|Tenerife Sur Airport|Tenerife|28.0445|-16.5725|209|82
ACE|César Manrique-Lanzarote Airport|San Bartolomé|28.9455|-13.6052|46|66
SVQ|Seville Airport|Sevilla|37.418|-5.8931|112|63
BIO|Bilbao Airport|Bilbao|43.3011|-2.9106|138|53
FUE|Fuerteventura Airport|El Matorral|28.4527|-13.8638|85|51
MAH|Menorca Airport|Mahón|39.8626|4.2186|302|39
SCQ|Santiago-Rosalía de Castro Airport|Santiago de Compostela|42.8963|-8.4151|1213|24
SPC|La Palma Airport|Sta Cruz de la Palma|28.6265|-17.7556|107|23
XRY|Jerez Airport|Jerez de la Frontera|36.7446|-6.0601|93|19
OVD|Asturias Airport|Ranón|43.5636|-6.0346|416|17
GRO|Girona-Costa Brava Airport|Girona|41.901|2.7606|468|15
GRX|F.G.L. Airport Granada-Jaén Airport|Granada|37.1887|-3.7774|1860|13
ZAZ|Zaragoza Airport|Zaragoza|41.6662|-1.0416|863|12
VIT|Vitoria Airport|Alava|42.8828|-2.7245|1682|12
LCG|A Coruña Airport|Culleredo|43.3021|-8.3773|326|15
MLN|Melilla Airport|Melilla|35.2798|-2.9563|156|12
LEI|Almería Airport|Almería|36.8439|-2.3701|70|11
VGO|Vigo Airport|Vigo|42.2318|-8.6268|856|11
SDR|Seve Ballesteros-Santander Airport|Santander|43.4271|-3.82|16|12
REU|Reus Airport|Reus|41.1474|1.1672|233|13
RMU|Región de Murcia International Airport|Corvera|37.803|-1.125|632|8
VDE|El Hierro Airport|El Hierro Island|27.8148|-17.8871|103|6
PNA|Pamplona Airport|Pamplona|42.77|-1.6463|1504|6
EAS|San Sebastián Airport|San Sebastián|43.3565|-1.7906|16|8
GMZ|La Gomera Airport|Alajero, La Gomera Island|28.0296|-17.2146|716|4
VLL|Valladolid Airport|Valladolid|41.7061|-4.8519|2776|4
SLM|Salamanca Airport|Salamanca|40.9521|-5.502|2595|2
BJZ|Badajoz Airport|Badajoz|38.8913|-6.8213|609|3
LEN|León Airport|León|42.589|-5.6556|3006|2
RJL|Logroño-Agoncillo Airport|Logroño|42.461|-2.3222|1161|1
JCU|Ceuta Heliport|Ceuta|35.8928|-5.3064|10|5
AEI|Algeciras Heliport|Algeciras|36.1289|-5.4411|98|3
RGS|Burgos Airport|Burgos|42.3576|-3.6208|2945|1
HSK|Huesca-Pirineos Airport|Monflorite/Alcalá del Obispo|42.0761|-0.3167|1768|1
ABC|Albacete Airport|Albacete|38.9485|-1.8635|2302|1
ODB|Córdoba Airport|Córdoba|37.842|-4.8489|297|1
CDT|Castellón-Costa Azahar Airport|Castellón de la Plana|40.2139|0.0733|1145|3
ILD|Lleida-Alguaire Airport|Lleida|41.7282|0.535|1170|2
LEU|Andorra-La Seu d'Urgell Airport|La Seu d'Urgell Pyrenees and Andorra|42.3386|1.4092|2625|1
TEV|Teruel Airport|Teruel|40.403|-1.2183|3380|1
CQM|Ciudad Real International Airport|Ciudad Real|38.8564|-3.97|2058|1`

/** The airports, the largest first. */
export const AIRPORTS: readonly Airport[] = Object.freeze(
  TABLE.trim()
    .split('\n')
    .map((line): Airport => {
      const [iata = '', name = '', municipality = '', lat, lon, elevation_ft, movements_k] = line.split('|')
      const icao = SPANISH_AIRPORTS[iata]
      if (icao === undefined) throw new Error(`airport ${iata} has no ICAO code`)
      const zone = icao.startsWith('GC') ? 'Atlantic/Canary' : 'Europe/Madrid'
      return {
        ...{ iata, icao, name, municipality, zone, keywords: KEYWORDS[iata] ?? null },
        ...{ lat: Number(lat), lon: Number(lon), elevation_ft: Number(elevation_ft), movements_k: Number(movements_k) },
      }
    }),
)
