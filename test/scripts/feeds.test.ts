import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { fileStore } from '../../lake/store/file.ts'
import { claimLake } from '../../lake/system.ts'
import { claimFolder, notePublishers } from '../../scripts/service/claim.ts'
import { startPublishers } from '../../scripts/stand-in/server.ts'
import { tempFolder } from '../helpers/temp.ts'

const MAIN = new URL('../../scripts/service/feeds.ts', import.meta.url).pathname
const REAL_PUBLISHER = 'nap.dgt.es'

interface Said {
  readonly code: number
  readonly text: string
}

/** What `scripts/feeds` says, run by someone whose environment knows nothing of the service. */
async function feeds(folder: string, ...args: string[]): Promise<Said> {
  const { SOURCE_MODE: _mode, PUBLISHERS_URL: _publishers, ...rest } = process.env
  const env = { ...rest, LAKE_URL: '', REDIS_URL: '' }
  const command = [MAIN, ...args, '--data', folder]
  return promisify(execFile)(process.execPath, command, { env, timeout: 120_000 })
    .then(({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }))
    .catch(({ code, stdout, stderr }) => ({ code: Number(code), text: `${stdout}${stderr}` }))
}

test.each(['simulated', 'replay'] as const)(
  'a feed of a %s lake is asked of the stand-in of its service, never of its publisher',
  async (mode) => {
    const folder = tempFolder()
    mkdirSync(join(folder, 'store'))
    const store = await fileStore(join(folder, 'store'))
    await claimLake(store, mode, Date.now())
    await store.close()

    const alone = await feeds(folder, 'run', 'dgt_incidents')
    expect(alone.code).toBe(1)
    expect(alone.text).toContain(`this lake holds ${mode} data, and no service runs on ${folder}`)
    expect((await feeds(folder, 'list')).text).not.toContain(REAL_PUBLISHER)

    const publishers = await startPublishers({ source: { kind: 'simulated', seed: 1, speed: 1 }, port: 0 })
    onTestFinished(() => publishers.close())
    const release = claimFolder(folder)
    notePublishers(folder, publishers.url)
    const beside = await feeds(folder, 'run', 'dgt_incidents')
    expect(beside.text).toContain('"outcome": "accepted"')
    expect(beside.code).toBe(0)
    release()

    // What an ended service noted counts for nothing: another process may have its port by now.
    expect((await feeds(folder, 'run', 'dgt_incidents')).text).toContain('no service runs on')
  },
)
