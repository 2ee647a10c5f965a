import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../helpers/temp.ts'
import { deepTest } from '../helpers/tier.ts'
import { PROJECT } from '../laws/sources.ts'

const run = promisify(execFile)
const UNIT = 'traffic-intelligence.service'
const read = (name: string): string => readFileSync(join(PROJECT, 'scripts/deploy', name), 'utf8')

/** Runs a program. Returns its output and exit code; null without the program, after a message. */
async function output(program: string, ...args: string[]): Promise<{ readonly code: number; readonly text: string } | null> {
  try {
    const { stdout, stderr } = await run(program, args)
    return { code: 0, text: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number | string; stdout: string; stderr: string }
    if (code !== 'ENOENT') return { code: Number(code), text: stdout + stderr }
    process.stderr.write(`skipped: ${program} is not installed, so files of scripts/deploy are checked less\n`)
    return null
  }
}

/** What systemd says against a unit whose project is here; null without systemd. */
async function complaints(unit: string): Promise<string | null> {
  const path = join(tempFolder(), UNIT)
  writeFileSync(path, unit.replaceAll('/opt/traffic-intelligence', PROJECT))
  const verified = await output('systemd-analyze', 'verify', '--man=no', path)
  return verified && verified.text + (verified.code === 0 ? '' : `exit code ${verified.code}`)
}

test('systemd accepts the unit, and would reject a wrong one', async ({ skip }) => {
  const unit = read(UNIT)
  const found = await complaints(unit)
  if (found === null) return skip()
  expect(found).toBe('')
  expect(await complaints(unit.replace('MemoryMax=', 'MemoryMost='))).toMatch(/MemoryMost/)
  expect(await complaints(unit.replace('scripts/start', 'scripts/begin'))).toMatch(/scripts\/begin is not executable/)
})

/** The instructions of the container file, with their continued lines. */
const instructions = read('Containerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .trim()
  .split('\n')
  .map((line) => /^([A-Z]+) (.*)$/.exec(line)?.slice(1, 3) as [string, string])
const all = (name: string): string[] => instructions.filter(([kind]) => kind === name).map(([, rest]) => rest)

test('the container has every room and file that the command needs, and runs it without root', () => {
  const copied = all('COPY').flatMap((rest) =>
    rest
      .replace(/^--\S+ /, '')
      .split(' ')
      .slice(0, -1),
  )
  expect(copied.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([])
  expect(copied).toEqual(expect.arrayContaining(['package.json', 'package-lock.json', 'lake', 'models', 'jobs', 'api', 'scripts']))
  const [command = ''] = JSON.parse(all('CMD')[0] as string) as string[]
  accessSync(join(PROJECT, command), constants.X_OK)
  expect(copied).toContain(command.split('/')[0])
  expect(all('USER')).toEqual(['traffic'])
  const [port = ''] = all('EXPOSE')
  expect(all('ENV')[0]).toContain(`PORT=${port} `)
  expect(all('HEALTHCHECK')[0]).toMatch(/\/ready$/)
  expect(JSON.parse(all('CMD')[0] as string)).toContain(all('VOLUME')[0])
})

deepTest("the container's packages are Debian's", async ({ skip }) => {
  const [, listed = ''] = /apt-get install -y --no-install-recommends ([^&]+)&&/.exec(all('RUN').join('\n')) ?? []
  const packages = listed.trim().split(/\s+/)
  expect(packages).toEqual(expect.arrayContaining(['npm', 'redis-server', 'curl']))
  const known = await output('apt-cache', 'show', '--no-all-versions', ...packages)
  if (known === null) return skip()
  const hasLists = readdirSync('/var/lib/apt/lists').some((name) => name.endsWith('_Packages') || name.endsWith('_Packages.lz4'))
  if (!hasLists) process.stderr.write('skipped: apt has no lists of packages (apt-get update)\n')
  if (!hasLists) return skip()
  for (const name of packages) expect(known.text).toMatch(new RegExp(`^Package: ${name}$`, 'm'))
})
