import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROJECT } from '../../../laws/sources.ts'
import { fillWithExamples, startService, type TestService } from '../../service.ts'
import { REVISIONS, type Revision } from './clients.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await fillWithExamples(service)
})
afterAll(() => service?.close())

test.each(Object.keys(REVISIONS) as Revision[])('scripts/mcp serves revision %s with the key of its environment', async (revision) => {
  const client = new Client({ name: 'test', version: '1' }, REVISIONS[revision] as never)
  const env = { ...(process.env as Record<string, string>), TRAFFIC_API_KEY: await service.key('PRO'), TRAFFIC_API_URL: service.url }
  await client.connect(new StdioClientTransport({ command: join(PROJECT, 'scripts/mcp'), env, stderr: 'inherit' }))
  try {
    expect((await client.listTools()).tools).toHaveLength(12)
    const { structuredContent, isError } = await client.callTool({ name: 'get_incidents', arguments: {} })
    expect([isError ?? false, (structuredContent as { total: number }).total > 0]).toEqual([false, true])
    // A tool of PRO works with this key, one of ENTERPRISE is refused by the API.
    const risk = await client.callTool({ name: 'get_road_safety', arguments: { what: 'risk', road: 'A-7' } })
    expect(JSON.stringify(risk.content)).toContain('needs the plan ENTERPRISE, the key has PRO')
  } finally {
    await client.close()
  }
})
