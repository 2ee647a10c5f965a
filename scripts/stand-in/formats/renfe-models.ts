const HEADER =
  'MODELO;PROPOSITO;ANCHO VIA;VELOCIDAD MAXIMA;MOTORES;POTENCIA TOTAL;TENSION;MASA SIN CARGA;LONGITUD TOTAL;PLAZAS SENTADAS;SEÑALIZACION;CONSTRUCTOR;UNIDADES CONSTRUIDAS;FOTOS;VIDEO;PRESTACIONES;FICHA TECNICA'
const PAGES = 'http://www.renfe.com/viajeros/nuestros_trenes'
const [IBERIAN, STANDARD, METRE, BOTH] = ['1,668 m', '1,435 m', '1,000 m', '1,435 m - 1,668 m']

/** Model, purpose after `Pasajeros - `, gauge, speed, power, voltage, mass, length, seats, units built. Figures are made up. */
type Model = readonly [string, string, string, string, string, string, string, string, string, number]

const MODELS: readonly Model[] = [
  ['AVE Serie 103', 'Alta Velocidad', STANDARD, '350 Km/h', '8800 KW', '25 KV', '420 T', '200 m', '400', 26],
  ['AVE Serie 112', 'Alta Velocidad', STANDARD, '330 Km/h', '8000 KW', '25 KV', '320,5 T', '200,15 m', '360', 30],
  ['AVLO Serie 112M', 'Alta Velocidad', STANDARD, '300 Km/h', '8000 KW', '25 KV', '320,5 T', '200,15 m', '430', 3],
  ['Alvia Serie 120', 'Larga distancia', BOTH, '250 Km/h - 220 Km/h', '4000 KW', '25 KV - 3 KV', '250 T', '107 m', '240', 28],
  ['Alvia Serie 130', 'Larga distancia', BOTH, '250 Km/h - 220 Km /h', '4800 KW', '25 KV - 3 KV', '310 T', '184,1 m', '300', 45],
  [
    'Alvia Serie 730 (híbrido)',
    'Larga distancia',
    BOTH,
    '250 Km/h - 180 Km/h',
    '4800 KW - 3600 KW',
    '25 KV - 3 KV',
    '380 T',
    '186 m',
    '260',
    15,
  ],
  ['Avant Serie 104', 'Media distancia - Alta Velocidad', STANDARD, '250 Km/h', '4000 KW', '25 KV', '221 T', '107,1 m', '237', 20],
  ['Media Distancia R-449', 'Media distancia', IBERIAN, '160 Km/h', '2400 KW', '3 KV', '172,2 T', '98, 9 m', '257', 57],
  ['Media Distancia R-470', 'Media distancia', IBERIAN, '140 Km/h', '1160 KW', '3 KV', '156 T', '79,6 m', '221', 57],
  ['Media Distancia R-592', 'Media distancia', IBERIAN, '120 Km/h - 140 Km/h', '840 KW - 1000 KW', '', '131 T', '70, 2 m', '228', 45],
  ['Media Distancia R-592', 'Cercanías', IBERIAN, '120 Km/h', '1000 KW', '', '131 T', '70, 2 m', '200', 23],
  ['Media Distancia R-594', 'Media distancia', IBERIAN, '160 Km/h', '1200 KW', '', '90,5 T', '47,7 m', '123/105', 23],
  ['Civia Serie 462', 'Cercanías', IBERIAN, '120 Km/h', '1270 KW', '3 KV', '80 T', '44,8 m', '126', 14],
  ['Cercanías 447', 'Cercanías', IBERIAN, '120 Km/h', '2400 KW', '3 KV', '162,5 T', '76 m', '234', 183],
  ['Feve - Serie UTDE-2400', 'Cercanías - Media distancia', METRE, '80 Km/h', '537 KW', '', '67,7 T', '34,3 m', '64', 8],
  ['Trenhotel', 'Larga distancia', BOTH, '220 Km/h', '', '3 KV - 1,5 KV', '359 T', '260 m', 'Variable', 10],
  ['Mercancías S253', '', IBERIAN, '140 Km/h', '5400 KW', '3 KV', '87 T', '18,9 m', '', 100],
]

/** Which list is written. */
interface ModelList {
  /** Number of the edition: in each, another model has one unit more. */
  readonly edition: number
  readonly share: number
  readonly hasUnknownCodes: boolean
}

/**
 * `informacion-trenes.csv`: ISO 8859-1, CRLF, text quoted, whole numbers bare, units inside the values, fields without a value bare too. The
 * series are those that the map's trains are of, and some more; one of the map's (599 as in 2026) is not among them.
 */
export function modelsCsv({ edition, share, hasUnknownCodes }: ModelList): Buffer {
  const lines = MODELS.map((model, nth) => {
    const [name, purpose, gauge, speed, power, voltage, mass, length, seats, built] = model
    const isUnknown = hasUnknownCodes && nth % 10 === 3
    const full = isUnknown ? 'Pasajeros - Nocturno' : purpose === '' ? 'Mercancías' : `Pasajeros - ${purpose}`
    const motors = power === '' ? '' : '8 asíncronos'
    const page = (kind: string): string => `${PAGES}/modelo${nth}${kind}.html`
    const links = [page(''), '', nth % 3 === 0 ? '' : page('_prestaciones'), nth % 3 === 0 ? '' : page('_ficha')]
    return [
      name,
      full,
      gauge,
      speed,
      motors,
      power,
      voltage,
      mass,
      length,
      seats,
      'ASFA',
      'CAF - Alstom',
      String(nth === edition % MODELS.length ? built + 1 : built),
      ...links,
    ]
  })
  const text = [HEADER.split(';'), ...lines.slice(0, Math.floor(lines.length * share))].map(
    (fields) => `${fields.map(field).join(';')}\r\n`,
  )
  return Buffer.from(text.join(''), 'latin1')
}

/** Text is quoted; whole numbers and what is empty are not. */
function field(text: string): string {
  return text === '' || /^\d+$/.test(text) ? text : `"${text}"`
}
