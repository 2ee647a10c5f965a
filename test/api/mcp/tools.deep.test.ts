import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { skipWithout } from '../../helpers/missing.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { fillWithExamples, startService, type TestService } from '../service.ts'

const run = promisify(execFile)
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'
const CONFORMANCE = '@modelcontextprotocol/conformance@0.1.16'
const folder = tempFolder()
/** Runs a tool of the registry outside of the project, which does not depend on it. */
const npx = async (name: string, args: readonly string[]): Promise<string> => {
  const { stdout, stderr } = await run('npx', ['--yes', name, ...args], { cwd: folder, maxBuffer: 1 << 26, timeout: 170_000 })
  return stdout + stderr
}
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
  return npx(INSPECTOR, ['--cli', `${service.url}/mcp`, '--transport', 'http', '--header', header, ...args])
}

test.skipIf(!hasTools)('the CLI of MCP Inspector lists tools and resources, and calls a tool', async () => {
  const tools = JSON.parse(await inspect('--method', 'tools/list'))
  expect(tools.tools).toHaveLength(12)
  expect(JSON.parse(await inspect('--method', 'resources/list')).resources.length).toBeGreaterThan(0)
  const called = JSON.parse(
    await inspect('--method', 'tools/call', '--tool-name', 'find_fuel', '--tool-arg', 'fuel=DIESEL_A', 'province=Madrid'),
  )
  expect([called.isError ?? false, called.structuredContent.total > 0]).toEqual([false, true])
})

/** Scenarios of a server without prompts, completion and sessions whose tools are not those of the suite's example. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']

test.skipIf(!hasTools).each(SCENARIOS)('conformance: %s', async (scenario) => {
  const said = await npx(CONFORMANCE, ['server', '--url', `${service.url}/mcp`, '--scenario', scenario])
  expect(said).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/)
})
