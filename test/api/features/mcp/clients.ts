import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** Ways to open a connection: two revisions of 2025, and the one without sessions of 2026. */
export const REVISIONS = {
  '2025-06-18': { supportedProtocolVersions: ['2025-06-18'] },
  '2025-11-25': { supportedProtocolVersions: ['2025-11-25'] },
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
} as const
export type Revision = keyof typeof REVISIONS

/** Opens a client of the MCP server over HTTP; the caller closes it. */
export async function connect(url: string, { key, revision = '2026-07-28' }: { key?: string; revision?: Revision } = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, REVISIONS[revision] as never)
  const headers = key === undefined ? {} : { 'X-API-Key': key }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  return client
}
