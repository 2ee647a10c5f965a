import { z } from 'zod'
import { around, municipality, near, province, stretch } from '../input.ts'
import { placeOf, recordKind } from '../line.ts'
import { ask, defineTool, Misuse } from '../tool.ts'

/** Everyday names of fuels, with the codes of the API. */
const FUELS = {
  gasoline_95: 'GASOLINE_95_E5',
  gasoline_98: 'GASOLINE_98_E5',
  diesel: 'DIESEL_A',
  diesel_premium: 'DIESEL_PREMIUM',
  diesel_agricultural: 'DIESEL_B',
  lpg: 'LPG',
  cng: 'CNG',
  lng: 'LNG',
  hydrogen: 'HYDROGEN',
  adblue: 'ADBLUE',
} as const
const FUEL_NAMES = Object.keys(FUELS) as [keyof typeof FUELS, ...(keyof typeof FUELS)[]]
const fuel = z.enum(FUEL_NAMES)

/** Cheap filling stations. */
export const findFuel = defineTool({
  name: 'find_fuel',
  title: 'Filling stations and their prices',
  description:
    'Filling stations by price or distance, with address and opening hours: in a place, around a point or along a road. "Where is diesel cheapest in Olot?"',
  plan: 'FREE',
  input: {
    fuel: fuel.describe('diesel is the usual one (gasóleo A).'),
    ...{ province, municipality },
    locality: z.string().max(80).optional().describe('Town that is no municipality.'),
    ...stretch,
    ...near,
    sort: z.enum(['price', 'distance']).optional().describe('price by default; distance needs a point.'),
    open_now: z.boolean().optional().describe('Only open ones.'),
  },
  requests: ({ fuel, province, municipality, locality, road, km_from, km_to, sort = 'price', open_now, ...point }) => {
    const at = around(point)
    const isPlaced = [province, municipality, locality, road, at.lat].some((one) => one !== undefined)
    if (!isPlaced) throw new Misuse('Where? Give lat and lon, a municipality, a province or a road.')
    if (sort === 'distance' && at.lat === undefined) throw new Misuse('sort=distance needs a point: give lat and lon.')
    const where = { province, municipality, locality, road, km_from, km_to, ...at }
    return [ask(STATION, { fuel: FUELS[fuel], ...where, open_now, sort: sort === 'price' ? 'price' : 'distance_m' })]
  },
})

const STATION = recordKind('station', '/api/gas-stations/cheapest', { also: ['fuel', 'municipality', 'province', 'lat', 'lon'] }, [
  '{price|no price} {price_unit} at {operator}',
  '«{address}»',
  placeOf,
  '{distance_m} m away',
  '«{schedule}»',
  'price of {observed_at}',
  'id {id}',
])

/** Development of prices. */
export const getFuelTrend = defineTool({
  name: 'get_fuel_trend',
  title: 'Fuel prices: average, trend and forecast',
  description:
    'Mean price of a fuel in Spain now (free), its trend and a forecast (PRO). "Should I fill up today or next week?": forecast=true.',
  plan: 'FREE',
  input: {
    fuel: fuel.describe('As in find_fuel.'),
    weeks: z.int().min(4).max(104).optional().describe('Of the trend; 12 by default.'),
    forecast: z.boolean().optional().describe('Also the next seven days.'),
  },
  requests: ({ fuel, weeks, forecast = false }) => [
    ask(AVERAGE, { fuel: FUELS[fuel] }),
    ask(TREND, { fuel: FUELS[fuel], weeks }),
    ...(forecast ? [ask(FORECAST, { fuel: FUELS[fuel] })] : []),
  ],
})

const AVERAGE = recordKind('average', '/api/combustible/precios', { also: ['fuel', 'area_kind'] }, [
  'Average now, {name|Spain}: {price_mean} {price_unit} over {stations} stations',
])

const OF_STATIONS = { series: 'STATION_MEAN' }
const TREND = recordKind('trend', '/api/combustible/tendencia', { query: OF_STATIONS, also: ['fuel', 'series', 'change_eur_l'] }, [
  'Trend: {direction}, {price_eur_l} EUR/L as of {as_of}',
  'change since the week before {change_pct} %',
  'in a year {change_52w_pct} %',
  'slope {slope_eur_l_week} EUR/L per week',
  'over {weeks_used} weeks',
])

const FORECAST = recordKind(
  'forecast',
  '/api/prediccion/combustible',
  { query: OF_STATIONS, also: ['fuel', 'interval', 'reason'], isSaid: (one) => one['price'] !== null },
  ['Forecast for {date}: {price} {price_unit}'],
)
