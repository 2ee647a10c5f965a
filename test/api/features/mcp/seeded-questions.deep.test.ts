import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tools } from '../../../../api/features/mcp/server.ts'
import { skipWithout } from '../../../helpers/missing.ts'
import { PROJECT } from '../../../laws/sources.ts'
import type { Reply, TestService } from '../../service.ts'
import { connect } from './clients.ts'
import { type SeededQuestion, seededQuestions, startSeededService } from './seeded-questions.ts'

const ASK = join(PROJECT, 'scripts/checks/clients/ask_mcp.py')
/** A Python with the client, which `scripts/check-clients` installs. */
const INSTALLED = join(PROJECT, '.cache/clients/mcp/bin/python')
const PYTHON = process.env['MCP_PYTHON'] ?? (existsSync(INSTALLED) ? INSTALLED : 'python3')

let seeded: Awaited<ReturnType<typeof startSeededService>>
let service: TestService
let key: string
beforeAll(async () => {
  seeded = await startSeededService()
  service = seeded.service
  key = await service.key('ENTERPRISE')
})
afterAll(() => service?.close())

/** An answer to a call, as a client shows it. */
interface Shown {
  readonly is_error: boolean
  readonly text: string
}

async function check({ question, tool, args, at, says }: SeededQuestion, call: (asked: object) => Promise<Shown>): Promise<void> {
  seeded.setTime(at)
  const { is_error, text } = await call({ tool, args })
  expect([question, is_error, text]).toEqual([question, false, expect.any(String)])
  for (const fact of says) expect(text).toContain(fact)
}

test('there are twenty, and each tool answers one', () => {
  expect(seededQuestions).toHaveLength(20)
  expect(new Set(seededQuestions.map(({ tool }) => tool))).toEqual(new Set(tools.map(({ name }) => name)))
})

describe('by the client of the SDK', () => {
  let client: Client
  beforeAll(async () => {
    client = await connect(service.url, { key })
  })
  afterAll(() => client?.close())

  test.each(seededQuestions.map((one) => [one.question, one] as const))('%s', async (_question, asked) => {
    await check(asked, async ({ tool, args }: Reply) => {
      const { isError, content } = (await client.callTool({ name: tool, arguments: args })) as Reply
      return { is_error: isError ?? false, text: content.map((one: Reply) => one.text).join('\n') }
    })
  })
})

function hasMcp(): boolean {
  try {
    execFileSync(PYTHON, ['-c', 'from mcp import Client'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const isThere = hasMcp()
if (!isThere)
  skipWithout('python', `${PYTHON} has no mcp: pip install mcp==2.3.0 and name it by MCP_PYTHON to ask by the client for Python`)

test.skipIf(!isThere).each(['http', 'stdio'])('by the client for Python over %s', async (transport) => {
  const server = transport === 'http' ? `${service.url}/mcp` : join(PROJECT, 'scripts/mcp')
  const env = { ...process.env, TRAFFIC_API_KEY: key, TRAFFIC_API_URL: service.url }
  const child = spawn(PYTHON, [ASK, server], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async (): Promise<Reply> => JSON.parse((await answers.next()).value ?? 'null')
    expect(await next()).toEqual(tools.map(({ name }) => name))
    for (const asked of seededQuestions)
      await check(asked, async (call) => {
        child.stdin.write(`${JSON.stringify(call)}\n`)
        return await next()
      })
  } finally {
    child.stdin.end()
    child.kill()
  }
})
