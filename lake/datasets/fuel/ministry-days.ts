import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { FUEL_PRODUCTS } from './codes.ts'
import { miteco } from './sources.ts'

/** National daily means from the ministry's price evolution page: a window of 120 days, republished in full every day. */
export const fuelMinistryDays = defineDataset({
  id: 'fuel_ministry_days',
  domain: 'fuel',
  title: 'National means of the ministry by day',
  about:
    'Mean price of petrol 95 and diesel in Spain on each day, as the ministry publishes it. The method is not published: the value differs by up to half a cent from the mean of all stations.',
  sources: [miteco],
  columns: {
    day: col.string(1, 'Day in Madrid; it is republished while it is in the window.', { example: '2026-08-21' }),
    period_start: col.instant(2, 'Begin of the day.', { example: '2026-08-20T22:00:00.000Z' }),
    product: col.code(3, 'Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' }),
    price_mean: col.decimal(4, 'Mean price, taxes included.', { scale: 6, unit: 'EUR/L', example: 1.728, min: 0.001, max: 100 }),
  },
  entity: ['day', 'product'],
  time: 'period_start',
  version: 'day',
  isObservation: true,
  partition: [month('period_start')],
  order: ['product', 'period_start'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
