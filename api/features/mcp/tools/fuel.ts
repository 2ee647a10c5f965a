import { z } from 'zod'
import { around, commonInput, municipality, near, province, stretch } from '../input.ts'
import { amount, defineTool, labelled, Misuse, phrase, place, quoted, type ReplyRecord, type ToolRequest } from '../tool.ts'

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
    ...commonInput,
  },
  requests: ({ fuel, province, municipality, locality, road, km_from, km_to, sort = 'price', open_now, ...point }) => {
    const at = around(point)
    const isPlaced = [province, municipality, locality, road, at.lat].some((one) => one !== undefined)
    if (!isPlaced) throw new Misuse('Where? Give lat and lon, a municipality, a province or a road.')
    if (sort === 'distance' && at.lat === undefined) throw new Misuse('sort=distance needs a point: give lat and lon.')
    const query = {
      fuel: FUELS[fuel],
      province,
      municipality,
      locality,
      road,
      km_from,
      km_to,
      ...at,
      open_now,
      sort: sort === 'price' ? 'price' : 'distance_m',
    }
    return [{ kind: 'station', path: '/api/gas-stations/cheapest', query, ...STATION }]
  },
})

const STATION = {
  fields: [
    'id',
    'fuel',
    'price',
    'price_unit',
    'distance_m',
    'operator',
    'address',
    'municipality',
    'province',
    'schedule',
    'lat',
    'lon',
    'observed_at',
  ],
  line: (one: ReplyRecord) =>
    phrase(
      `${amount(one, 'price') ?? 'no price'} ${String(one['price_unit'] ?? '')} at ${String(one['operator'])}`,
      quoted(one, 'address'),
      place(one),
      amount(one, 'distance_m', 'm away'),
      quoted(one, 'schedule'),
      labelled('price of', one, 'observed_at'),
      `id ${String(one['id'])}`,
    ),
}

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
    ...commonInput,
  },
  requests: ({ fuel, weeks, forecast = false }) => [
    { kind: 'average', path: '/api/combustible/precios', query: { fuel: FUELS[fuel] }, ...AVERAGE },
    { kind: 'trend', path: '/api/combustible/tendencia', query: { fuel: FUELS[fuel], weeks, series: 'STATION_MEAN' }, ...TREND },
    ...(forecast
      ? [{ kind: 'forecast', path: '/api/prediccion/combustible', query: { fuel: FUELS[fuel], series: 'STATION_MEAN' }, ...FORECAST }]
      : []),
  ],
})

const AVERAGE: Pick<ToolRequest, 'fields' | 'line'> = {
  fields: ['fuel', 'area_kind', 'name', 'price_mean', 'price_unit', 'stations'],
  line: (one) =>
    `Average now, ${amount(one, 'name') ?? 'Spain'}: ${String(one['price_mean'])} ${String(one['price_unit'])} over ${String(one['stations'])} stations`,
}

const TREND: Pick<ToolRequest, 'fields' | 'line'> = {
  fields: [
    'fuel',
    'series',
    'as_of',
    'price_eur_l',
    'change_eur_l',
    'change_pct',
    'change_52w_pct',
    'slope_eur_l_week',
    'direction',
    'weeks_used',
  ],
  line: (one) =>
    phrase(
      `Trend: ${String(one['direction'])}, ${String(one['price_eur_l'])} EUR/L as of ${String(one['as_of'])}`,
      labelled('change since the week before', one, 'change_pct', '%'),
      labelled('in a year', one, 'change_52w_pct', '%'),
      labelled('slope', one, 'slope_eur_l_week', 'EUR/L per week'),
      labelled('over', one, 'weeks_used', 'weeks'),
    ),
}

const FORECAST: Pick<ToolRequest, 'fields' | 'line' | 'isSaid'> = {
  isSaid: (one) => one['price'] !== null,
  fields: ['fuel', 'date', 'price', 'price_unit', 'interval', 'reason'],
  line: (one) => `Forecast for ${String(one['date'])}: ${String(one['price'])} ${String(one['price_unit'])}`,
}
