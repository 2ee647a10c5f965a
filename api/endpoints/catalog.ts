import type { Domain } from '../kernel/domain.ts'
import type { Endpoint } from '../kernel/endpoint.ts'
import { air } from './air/index.ts'
import { aviation } from './aviation/index.ts'
import { exports } from './export/index.ts'
import { fuel } from './fuel/index.ts'
import { maritime } from './maritime/index.ts'
import { mobility } from './mobility/index.ts'
import { rail } from './rail/index.ts'
import { road } from './road/index.ts'
import { safety } from './safety/index.ts'
import { search } from './search/index.ts'
import { service } from './service/index.ts'
import { weather } from './weather/index.ts'

/** Every domain of the API, in the order in which documentation shows them. */
export const domains: readonly Domain[] = Object.freeze([
  ...[road, fuel, rail, maritime, aviation, mobility, safety],
  ...[search, service, weather, air, exports],
])

/** Every endpoint for data, in the order in which documentation shows them. */
export const endpoints: readonly Endpoint[] = Object.freeze(domains.flatMap((domain) => domain.endpoints))
