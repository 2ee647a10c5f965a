import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { FUEL_PRODUCTS } from './codes.ts'
import { miteco } from './sources.ts'

/** National means by day as the ministry itself shows them on its page of the evolution of prices: a window of 120 days, each told anew every day. */
export const fuelMinistryDays = defineDataset({
  id: 'fuel_ministry_days',
  domain: 'fuel',
  title: 'National means of the ministry by day',
  about:
    'Mean price of petrol 95 and diesel in Spain on each day, as the ministry publishes it. How it is made is not told: it differs by up to half a cent from the mean of all stations.',
  sources: [miteco],
  columns: {
    day: col.string(1, 'Day in Madrid; it is published again as long as the window has it.', { example: '2026-08-21' }),
    period_start: col.instant(2, 'Begin of the day.', { example: '2026-08-20T22:00:00.000Z' }),
    product: col.code(3, 'Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' }),
    price_mean: col.decimal(4, 'Mean price, taxes included.', { scale: 6, unit: 'EUR/L', example: 1.728, min: 0.001, max: 100 }),
  },
  entity: ['day', 'product'],
  time: 'period_start',
  version: 'day',
  land: 'replace',
  isObservation: true,
  partition: [month('period_start')],
  order: ['product', 'period_start'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
