import type { Feature } from '../../engine/feature.ts'
import { accountPaths, accountSchemas } from './account-openapi.ts'
import { type AccountsParts, registerAccounts } from './account-routes.ts'

/** Keys, their usage, and the pages of their owners. */
export const accountsFeature: Feature<AccountsParts> = {
  id: 'accounts',
  register: registerAccounts,
  describe: () => ({ paths: accountPaths(), schemas: accountSchemas() }),
}
