import { type AddressLimitParts, limitByAddress, PLATFORM_LIMIT } from '../../auth/address-limit.ts'
import type { PathGroups } from '../../auth/usage/path-groups.ts'
import { namedRecords } from '../../engine/answers/named-records.ts'
import type { Feature } from '../../engine/feature.ts'
import { type PlatformParts, registerPlatform } from './platform.ts'
import { platformPaths } from './platform-openapi.ts'

/** Health, plans, descriptions for programs, and the public pages. */
export const siteFeature: Feature<PlatformParts & AddressLimitParts & { readonly groups: Pick<PathGroups, 'take'> }> = {
  id: 'site',
  register: (app, parts) =>
    void app.register(async (scope) => {
      limitByAddress(scope, parts, PLATFORM_LIMIT)
      parts.groups.take(scope, 'platform', parts.callerOf)
      registerPlatform(scope, parts)
    }),
  describe: ({ endpoints, baseUrl }) => ({ paths: platformPaths(baseUrl, [...namedRecords(endpoints).values()]) }),
}
