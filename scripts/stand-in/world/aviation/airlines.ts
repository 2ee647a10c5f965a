/** An airline, and its share of domestic and international flights. */
export interface Airline {
  readonly iata: string
  readonly icao: string
  readonly name: string
  readonly domestic: number
  readonly foreign: number
  readonly aircraft: readonly string[]
  /** Airlines that sell its flights too, with the first digits of their flight numbers. */
  readonly partners: readonly (readonly [iata: string, icao: string, name: string, begin: number])[]
}

const AA = ['AA', 'AAL', 'AMERICAN AIRLINES', 8500] as const
const BA = ['BA', 'BAW', 'BRITISH AIRWAYS', 7000] as const
const QR = ['QR', 'QTR', 'QATAR AIRWAYS', 5700] as const
const IB = ['IB', 'IBE', 'IBERIA', 5000] as const
const KL = ['KL', 'KLM', 'KLM', 6100] as const
const DL = ['DL', 'DAL', 'DELTA AIR LINES', 6700] as const
const UA = ['UA', 'UAL', 'UNITED AIRLINES', 9000] as const

export const AIRLINES: readonly Airline[] = Object.freeze([
  { iata: 'VY', icao: 'VLG', name: 'VUELING', domestic: 30, foreign: 16, aircraft: ['320', '321'], partners: [IB, QR] },
  { iata: 'FR', icao: 'RYR', name: 'RYANAIR', domestic: 17, foreign: 28, aircraft: ['738', '7M8'], partners: [] },
  { iata: 'IB', icao: 'IBE', name: 'IBERIA', domestic: 12, foreign: 9, aircraft: ['320', '321', '333'], partners: [AA, BA, QR] },
  { iata: 'UX', icao: 'AEA', name: 'AIR EUROPA', domestic: 11, foreign: 4, aircraft: ['738', '788'], partners: [KL, DL] },
  { iata: 'NT', icao: 'IBB', name: 'BINTER CANARIAS', domestic: 12, foreign: 1, aircraft: ['AT7', '295'], partners: [IB] },
  { iata: 'YW', icao: 'ANE', name: 'AIR NOSTRUM', domestic: 10, foreign: 2, aircraft: ['CRX', 'CRK', 'AT7'], partners: [IB, AA] },
  { iata: 'V7', icao: 'VOE', name: 'VOLOTEA', domestic: 6, foreign: 2, aircraft: ['319', '320'], partners: [] },
  { iata: 'U2', icao: 'EZY', name: 'EASYJET', domestic: 0, foreign: 12, aircraft: ['319', '320'], partners: [] },
  { iata: 'LS', icao: 'EXS', name: 'JET2', domestic: 0, foreign: 8, aircraft: ['738', '321'], partners: [] },
  { iata: 'EW', icao: 'EWG', name: 'EUROWINGS', domestic: 0, foreign: 6, aircraft: ['319', '320'], partners: [] },
  { iata: 'LH', icao: 'DLH', name: 'LUFTHANSA', domestic: 0, foreign: 5, aircraft: ['32A', '321'], partners: [UA] },
  { iata: 'AF', icao: 'AFR', name: 'AIR FRANCE', domestic: 0, foreign: 3, aircraft: ['319', '223'], partners: [KL, DL] },
])

/** Foreign airports: IATA code, Aena's name, minutes of flight from the centre of Spain, and weight. */
export const ABROAD: readonly (readonly [iata: string, name: string, minutes: number, weight: number])[] = Object.freeze([
  ['LGW', 'LONDRES /GATWICK', 145, 9],
  ['LHR', 'LONDRES /HEATHROW', 145, 5],
  ['STN', 'LONDRES /STANSTED', 150, 6],
  ['MAN', 'MANCHESTER', 160, 6],
  ['BHX', 'BIRMINGHAM', 155, 3],
  ['DUB', 'DUBLIN', 155, 5],
  ['CDG', 'PARIS /CHARLES DE GAULLE', 120, 5],
  ['ORY', 'PARIS /ORLY', 115, 6],
  ['AMS', 'AMSTERDAM /SCHIPHOL', 150, 6],
  ['BRU', 'BRUSELAS', 140, 4],
  ['FRA', 'FRANKFURT', 150, 5],
  ['MUC', 'MUNICH', 150, 4],
  ['DUS', 'DUSSELDORF', 150, 6],
  ['BER', 'BERLIN', 170, 4],
  ['HAM', 'HAMBURGO', 175, 3],
  ['ZRH', 'ZURICH', 125, 4],
  ['VIE', 'VIENA', 165, 2],
  ['FCO', 'ROMA /FIUMICINO', 135, 5],
  ['MXP', 'MILAN /MALPENSA', 115, 4],
  ['LIS', 'LISBOA', 80, 5],
  ['OPO', 'OPORTO', 75, 3],
  ['RAK', 'MARRAKECH', 115, 2],
  ['CPH', 'COPENHAGUE', 190, 2],
  ['ARN', 'ESTOCOLMO', 225, 2],
  ['JFK', 'NUEVA YORK /J.F.KENNEDY', 480, 1],
  ['BOG', 'BOGOTA', 620, 1],
])
