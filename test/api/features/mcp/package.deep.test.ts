import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tempFolder } from '../../../helpers/temp.ts'
import { PROJECT } from '../../../laws/sources.ts'
import { fillWithExamples, startService, type TestService } from '../../service.ts'
import { REVISIONS, type Revision } from './clients.ts'

let service: TestService
let main: string
/** The package as `npm pack` makes it, installed beside the libraries of the project. */
beforeAll(async () => {
  service = await startService()
  await fillWithExamples(service)
  const folder = tempFolder()
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: join(PROJECT, 'api/features/mcp/package') })
  const [{ filename, files }] = JSON.parse(packed.toString()) as [{ filename: string; files: { path: string }[] }]
  expect(files.map(({ path }) => path).sort()).toEqual(['README.md', 'main.js', 'package.json'])
  const installed = join(folder, 'node_modules/traffic-intelligence-mcp')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1'])
  symlinkSync(join(PROJECT, 'node_modules/@modelcontextprotocol'), join(folder, 'node_modules/@modelcontextprotocol'))
  main = join(installed, 'main.js')
}, 180_000)
afterAll(() => service?.close())

/** Connects over standard input and output, as an assistant that starts the package does. */
async function connect(env: Record<string, string>, revision: Revision): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, REVISIONS[revision] as never)
  const own = { ...(process.env as Record<string, string>), ...env }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [main], env: own, stderr: 'ignore' }))
  return client
}

test.each(Object.keys(REVISIONS) as Revision[])(
  'serves revision %s of a remote service with the key of its environment',
  async (revision) => {
    const client = await connect({ TRAFFIC_API_URL: `${service.url}/`, TRAFFIC_API_KEY: await service.key('PRO') }, revision)
    try {
      expect((await client.listTools()).tools).toHaveLength(12)
      const { structuredContent, isError } = await client.callTool({ name: 'get_incidents', arguments: {} })
      expect([isError ?? false, (structuredContent as { total: number }).total > 0]).toEqual([false, true])
      // A tool of PRO works with this key, one of ENTERPRISE is refused by the API.
      const risk = await client.callTool({ name: 'get_road_safety', arguments: { what: 'risk', road: 'A-7' } })
      expect(JSON.stringify(risk.content)).toContain('needs the plan ENTERPRISE, the key has PRO')
      await expect(client.readResource({ uri: 'traffic://nothing/x' })).rejects.toThrow(/Unknown collection nothing/)
    } finally {
      await client.close()
    }
  },
)

test('explains a missing address, and a service that does not answer', async () => {
  const start = (url: string) => connect({ TRAFFIC_API_URL: url }, '2025-11-25')
  await expect(start('')).rejects.toThrow()
  const run = (): Buffer =>
    execFileSync(process.execPath, [main], { env: { ...process.env, TRAFFIC_API_URL: 'api.example.org' }, stdio: 'pipe' })
  expect(run).toThrow(/TRAFFIC_API_URL: expected the address of the service, such as https:\/\/api\.example\.org; got "api\.example\.org"/)
  await expect(start('http://127.0.0.1:9')).rejects.toThrow(/fetch failed/)
})
