import { DOUBLE, INT32 } from '../../lake/schema/json.ts'
import type { Lang } from '../kernel/fields.ts'
import { FORMATS } from '../kernel/formats.ts'
import { langParam } from '../kernel/params/params-page.ts'
import { DEFAULT_PLANS, FEATURES, featuresOf, isAvailable, type PlanTable, reachablePerDay, TIERS } from './plans.ts'

/** The parameters of the list of plans. */
export const PLAN_PARAMS = Object.freeze({ lang: langParam() })

/**
 * Returns the list of plans for display; `upgradeUrl` is where people change theirs. Languages other than English get Spanish.
 */
export function plansReply(
  plans: PlanTable,
  options: { readonly lang: Lang; readonly upgradeUrl: string; readonly hasPath: (path: string) => boolean },
): Record<string, unknown> {
  const language = options.lang === 'en' ? 'en' : 'es'
  return {
    currency: 'EUR',
    upgrade_url: options.upgradeUrl,
    plans: TIERS.map((tier) => {
      const { price_eur_month, minute, day, concurrency, streams, formats } = plans[tier]
      return {
        id: tier,
        price_eur_month,
        requests_per_minute: minute,
        requests_per_day: day,
        reachable_per_day: reachablePerDay(plans[tier]),
        concurrency,
        streams,
        formats,
        features: featuresOf(plans, tier).map((code) => ({
          ...{ code, label: FEATURES[code][language] },
          available: isAvailable(code, options.hasPath),
        })),
      }
    }),
  }
}

/** An example of the list: the default plans. */
export const EXAMPLE_PLANS = Object.freeze(
  plansReply(DEFAULT_PLANS, { lang: 'en', upgradeUrl: 'https://example.org/plans', hasPath: () => true }),
)

const count = (description: string) => ({ ...INT32, minimum: 1, description })
const PLAN = {
  id: {
    type: 'string',
    enum: TIERS,
    description: 'ANONYMOUS is for requests without a key, counted by address; every other plan is counted by key.',
  },
  price_eur_month: {
    ...DOUBLE,
    type: ['number', 'null'],
    minimum: 0,
    description: 'Price of a month without commitment; null if there is nothing to buy. Unit: EUR.',
  },
  requests_per_minute: count('Most requests in any 60 s. Unit: requests.'),
  requests_per_day: count('Most requests in any 24 h. Unit: requests.'),
  reachable_per_day: count('Requests that both limits together admit in 24 h: the minute may allow fewer than the day. Unit: requests.'),
  concurrency: count('Most queries of history under way at once. Unit: queries.'),
  streams: { ...count('Most streams of events open at once (/api/stream). Unit: streams.'), minimum: 0 },
  formats: { type: 'array', items: { type: 'string', enum: FORMATS }, description: 'Representations of replies.' },
  features: {
    type: 'array',
    description: 'Its features, those of lower plans first. `available` is true for those that exist today.',
    items: {
      type: 'object',
      required: ['code', 'label', 'available'],
      properties: {
        code: { type: 'string', enum: Object.keys(FEATURES), description: 'Code of the feature; the list is open.' },
        label: { type: 'string', description: 'Its name in the requested language, else in Spanish.' },
        available: { type: 'boolean', description: 'False for what this service does not have yet.' },
      },
    },
  },
}

/** The members of the list of plans, as schemas. */
export const PLANS_SCHEMA = Object.freeze({
  currency: { type: 'string', const: 'EUR', description: 'Currency of all prices (ISO 4217).' },
  upgrade_url: { type: 'string', format: 'uri', description: 'Page about the plans and how to change yours.' },
  plans: { type: 'array', items: { type: 'object', required: Object.keys(PLAN), properties: PLAN }, description: 'The lowest first.' },
})
