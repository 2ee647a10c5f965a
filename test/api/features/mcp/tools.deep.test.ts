import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { skipWithout } from '../../../helpers/missing.ts'
import { tempFolder } from '../../../helpers/temp.ts'
import { fillWithExamples, startService, type TestService } from '../../service.ts'

const run = promisify(execFile)
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'
const CONFORMANCE = '@modelcontextprotocol/conformance@0.1.16'
const folder = tempFolder()
/** Runs a tool of the registry outside of the project, which does not depend on it. */
const npx = (name: string, args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  run('npx', ['--yes', name, ...args], { cwd: folder, maxBuffer: 1 << 26, timeout: 170_000 })
const hasTools = await Promise.all([npx(INSPECTOR, ['--version']), npx(CONFORMANCE, ['--version'])]).then(
  () => true,
  () => false,
)
if (!hasTools) skipWithout('registry', `npx cannot get ${INSPECTOR} and ${CONFORMANCE}, which check the MCP server`)

let service: TestService
beforeAll(async () => {
  service = await startService()
  await fillWithExamples(service)
})
afterAll(() => service?.close())

const inspect = async (...args: readonly string[]): Promise<string> => {
  const header = `X-API-Key: ${await service.key('PRO')}`
  const { stdout } = await npx(INSPECTOR, ['--cli', `${service.url}/mcp`, '--transport', 'http', '--header', header, ...args])
  return stdout
}

test.skipIf(!hasTools)('the CLI of MCP Inspector lists tools and resources, and calls a tool', async () => {
  const tools = JSON.parse(await inspect('--method', 'tools/list'))
  expect(tools.tools).toHaveLength(12)
  expect(JSON.parse(await inspect('--method', 'resources/list')).resources.length).toBeGreaterThan(0)
  const call = async (...args: readonly string[]) => JSON.parse(await inspect('--method', 'tools/call', '--tool-name', ...args))
  const { structuredContent, isError = false } = await call('get_incidents', '--tool-arg', 'limit=1')
  expect([isError, structuredContent.total > 0]).toEqual([false, true])
  expect((await call('find_fuel', '--tool-arg', 'fuel=diesel', '--tool-arg', 'province=Madrid')).isError ?? false).toBe(false)
  // It exits with an error, which is the tool's own.
  await expect(call('find_fuel', '--tool-arg', 'fuel=diesel')).rejects.toThrow(/tool_is_error/)
})

/** Scenarios of a server without prompts, completion and sessions whose tools are not those of the suite's example. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']

test.skipIf(!hasTools).each(SCENARIOS)('conformance: %s', async (scenario) => {
  const { stdout, stderr } = await npx(CONFORMANCE, ['server', '--url', `${service.url}/mcp`, '--scenario', scenario])
  expect(stdout + stderr).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/)
})
