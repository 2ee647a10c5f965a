import { type AddressLimitParts, limitByAddress, PLATFORM_LIMIT } from '../../auth/address-limit.ts'
import type { Feature } from '../../engine/feature.ts'
import { type McpHttpParts, registerMcp } from './http.ts'
import { mcpPaths } from './mcp-openapi.ts'

/** The MCP server: a protocol of its own, one operation. Its availability is that of the endpoints that it calls. */
export const mcpFeature: Feature<McpHttpParts & AddressLimitParts> = {
  id: 'mcp',
  register: (app, parts) =>
    void app.register(async (scope) => {
      limitByAddress(scope, parts, PLATFORM_LIMIT)
      registerMcp(scope, app, parts)
    }),
  describe: () => ({ paths: mcpPaths() }),
}
