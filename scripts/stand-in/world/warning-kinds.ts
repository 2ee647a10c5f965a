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

const ALL_YEAR = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
const EVERYWHERE = /^/

/** Kinds of warnings, by season. */
export const WARNING_KINDS: readonly WarningKind[] = [
  {
    phenomenon: ['AT', 'Temperaturas máximas', 'high-temperature'],
    parameter: ['TA', 'Temperatura máxima', 'Maximum temperature'],
    values: { of: [36, 39, 42], unit: 'ºC' },
    hours: [13, 21],
    months: [6, 7, 8, 9],
    zones: EVERYWHERE,
    isCoastal: false,
    share: 0.45,
  },
  {
    phenomenon: ['BT', 'Temperaturas mínimas', 'low-temperature'],
    parameter: ['TI', 'Temperatura mínima', 'Minimum temperature'],
    values: { of: [-4, -8, -12], unit: 'ºC' },
    hours: [0, 10],
    months: [12, 1, 2, 3],
    zones: /^(62|6[78]|69|72|74|76)/,
    isCoastal: false,
    share: 0.4,
  },
  {
    phenomenon: ['PR', 'Lluvias', 'rain'],
    parameter: ['P1', 'Precipitación acumulada en una hora', 'Accumulated precipitation in one hour'],
    values: { of: [15, 30, 60], unit: 'mm' },
    hours: [6, 24],
    months: ALL_YEAR,
    zones: EVERYWHERE,
    isCoastal: false,
    share: 0.12,
  },
  {
    phenomenon: ['TO', 'Tormentas', 'thunderstorm'],
    parameter: ['TO', 'Tormentas', 'Thunderstorms'],
    values: null,
    hours: [13, 23],
    months: [5, 6, 7, 8, 9, 10],
    zones: EVERYWHERE,
    isCoastal: false,
    share: 0.2,
  },
  {
    phenomenon: ['VI', 'Vientos', 'wind'],
    parameter: ['RM', 'Rachas máximas', 'Maximum gust of wind'],
    values: { of: [80, 100, 130], unit: 'km/h' },
    hours: [0, 24],
    months: ALL_YEAR,
    zones: EVERYWHERE,
    isCoastal: false,
    share: 0.2,
  },
  {
    phenomenon: ['NE', 'Nevadas', 'snow'],
    parameter: ['NV', 'Acumulación de nieve en 24 horas', 'Snow accumulated in 24 hours'],
    values: { of: [5, 15, 40], unit: 'cm' },
    hours: [0, 24],
    months: [11, 12, 1, 2, 3, 4],
    zones: /^(62|63|66|67|68|69|71|72|74|75|76)/,
    isCoastal: false,
    share: 0.15,
  },
  {
    phenomenon: ['NI', 'Nieblas', 'fog'],
    parameter: ['VI', 'Visibilidad', 'Visibility'],
    values: { of: [200, 100, 50], unit: 'm' },
    hours: [0, 11],
    months: [11, 12, 1, 2],
    zones: /^(62|67|68|6925|74)/,
    isCoastal: false,
    share: 0.3,
  },
  {
    phenomenon: ['VS', 'Polvo en suspensión', 'dust'],
    parameter: ['VI', 'Visibilidad', 'Visibility'],
    values: { of: [3000, 1500, 500], unit: 'm' },
    hours: [6, 24],
    months: [1, 2, 3, 7, 8, 12],
    zones: /^65/,
    isCoastal: false,
    share: 0.25,
  },
  {
    phenomenon: ['CO', 'Costeros', 'coastal event'],
    parameter: ['CO', 'Costeros', 'Coastal event'],
    text: 'Viento del oeste de 50 a 60 km/h (fuerza 7) y olas de 4 metros',
    values: null,
    hours: [0, 24],
    months: ALL_YEAR,
    zones: EVERYWHERE,
    isCoastal: true,
    share: 0.35,
  },
  {
    phenomenon: ['GA', 'Galernas', 'galerna'],
    parameter: ['GA', 'Galernas', 'Galernas'],
    values: null,
    hours: [15, 22],
    months: [4, 5, 6, 7, 8, 9],
    zones: /^(63|66|75)/,
    isCoastal: true,
    share: 0.1,
  },
  {
    phenomenon: ['RI', 'Rissagas', 'rissaga'],
    parameter: ['RI', 'Rissagas', 'Rissagas'],
    values: null,
    hours: [6, 20],
    months: [4, 5, 6, 7, 8, 9],
    zones: /^64/,
    isCoastal: true,
    share: 0.1,
  },
  {
    phenomenon: ['AL', 'Aludes', 'avalanche'],
    parameter: ['AL', 'Cota del peligro de aludes', 'Altitude of the danger of avalanches'],
    values: { of: [2400, 2200, 1800], unit: 'm' },
    hours: [0, 24],
    months: [1, 2, 3, 4, 12],
    zones: /^(622201|692501|690801)/,
    isCoastal: false,
    share: 0.3,
  },
  {
    phenomenon: ['DH', 'Deshielos', 'thaw'],
    parameter: ['DH', 'Deshielos', 'Thaw'],
    values: null,
    hours: [0, 24],
    months: [3, 4, 5],
    zones: /^(62|63|66|67|69)/,
    isCoastal: false,
    share: 0.08,
  },
]
