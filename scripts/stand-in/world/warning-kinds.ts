/** A kind of warning, with the terms of AEMET's messages. */
export interface WarningKind {
  /** Code and name of the phenomenon, and its name in the English event. */
  readonly phenomenon: readonly [code: string, name: string, english: string]
  /** Code of the parameter, its label in Spanish and English. */
  readonly parameter: readonly [code: string, label: string, english: string]
  /** The parameter's text in place of a number, if it has one. */
  readonly text?: string
  /** Values of the three levels and their unit; null if the parameter has no number. */
  readonly values: { readonly of: readonly [number, number, number]; readonly unit: string } | null
  /** Hours of the local day, from and to. */
  readonly hours: readonly [number, number]
  /** Months in which it occurs. */
  readonly months: readonly number[]
  /** Communities or provinces where it occurs, by the first digits of their zones; all if empty. */
  readonly zones: RegExp
  readonly isCoastal: boolean
  /** Probability of an episode in a community on a day. */
  readonly share: number
}

// One kind per line. Values of the levels with their unit; first digits of the zones where it occurs.
const ROWS = `
phenomenon | parameter | values | hours | months | zones | where | share
AT;Temperaturas máximas;high-temperature | TA;Temperatura máxima;Maximum temperature | 36 39 42 ºC | 13 21 | 6 7 8 9 | all | land | 0.45
BT;Temperaturas mínimas;low-temperature | TI;Temperatura mínima;Minimum temperature | -4 -8 -12 ºC | 0 10 | 12 1 2 3 | 62 6[78] 69 72 74 76 | land | 0.4
PR;Lluvias;rain | P1;Precipitación acumulada en una hora;Accumulated precipitation in one hour | 15 30 60 mm | 6 24 | all | all | land | 0.12
TO;Tormentas;thunderstorm | TO;Tormentas;Thunderstorms | none | 13 23 | 5 6 7 8 9 10 | all | land | 0.2
VI;Vientos;wind | RM;Rachas máximas;Maximum gust of wind | 80 100 130 km/h | 0 24 | all | all | land | 0.2
NE;Nevadas;snow | NV;Acumulación de nieve en 24 horas;Snow accumulated in 24 hours | 5 15 40 cm | 0 24 | 11 12 1 2 3 4 | 62 63 66 67 68 69 71 72 74 75 76 | land | 0.15
NI;Nieblas;fog | VI;Visibilidad;Visibility | 200 100 50 m | 0 11 | 11 12 1 2 | 62 67 68 6925 74 | land | 0.3
VS;Polvo en suspensión;dust | VI;Visibilidad;Visibility | 3000 1500 500 m | 6 24 | 1 2 3 7 8 12 | 65 | land | 0.25
CO;Costeros;coastal event | CO;Costeros;Coastal event | none | 0 24 | all | all | sea | 0.35
GA;Galernas;galerna | GA;Galernas;Galernas | none | 15 22 | 4 5 6 7 8 9 | 63 66 75 | sea | 0.1
RI;Rissagas;rissaga | RI;Rissagas;Rissagas | none | 6 20 | 4 5 6 7 8 9 | 64 | sea | 0.1
AL;Aludes;avalanche | AL;Cota del peligro de aludes;Altitude of the danger of avalanches | 2400 2200 1800 m | 0 24 | 1 2 3 4 12 | 622201 692501 690801 | land | 0.3
DH;Deshielos;thaw | DH;Deshielos;Thaw | none | 0 24 | 3 4 5 | 62 63 66 67 69 | land | 0.08
`

/** Kinds of warnings, by season. */
export const WARNING_KINDS: readonly WarningKind[] = ROWS.trim().split('\n').slice(1).map(readKind)

function readKind(row: string): WarningKind {
  const [phenomenon = '', parameter = '', values = '', hours = '', months = '', zones = '', where, share] = row.split(' | ')
  const [yellow, orange, red, unit = ''] = values.split(' ')
  return {
    phenomenon: phenomenon.split(';') as [string, string, string],
    parameter: parameter.split(';') as [string, string, string],
    ...(phenomenon.startsWith('CO;') && { text: 'Viento del oeste de 50 a 60 km/h (fuerza 7) y olas de 4 metros' }),
    values: values === 'none' ? null : { of: [Number(yellow), Number(orange), Number(red)], unit },
    hours: hours.split(' ').map(Number) as [number, number],
    months: months === 'all' ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] : months.split(' ').map(Number),
    zones: zones === 'all' ? /^/ : new RegExp(`^(${zones.replaceAll(' ', '|')})`),
    isCoastal: where === 'sea',
    share: Number(share),
  }
}
