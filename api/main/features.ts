import { accountsFeature } from '../features/accounts/feature.ts'
import { catalogueFeature } from '../features/catalogue/feature.ts'
import { docsFeature } from '../features/docs/feature.ts'
import { exportsFeature } from '../features/exports/feature.ts'
import { lakeFeature } from '../features/lake/feature.ts'
import { mapFeature } from '../features/map/feature.ts'
import { mcpFeature } from '../features/mcp/feature.ts'
import { siteFeature } from '../features/site/feature.ts'
import { statusFeature } from '../features/status/feature.ts'
import { streamFeature } from '../features/stream/feature.ts'
import { webhooksFeature } from '../features/webhooks/feature.ts'

/** What the service has besides the data endpoints, in the order of the description. */
export const FEATURES = [
  exportsFeature,
  lakeFeature,
  streamFeature,
  siteFeature,
  docsFeature,
  mapFeature,
  catalogueFeature,
  statusFeature,
  accountsFeature,
  webhooksFeature,
  mcpFeature,
] as const

/** What all features together need of the application. */
export type FeatureParts = Intersection<Parameters<(typeof FEATURES)[number]['register']>[1]>

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer A) => void ? A : never
