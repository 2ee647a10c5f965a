import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NATIONAL, writeNationalFile } from '../helpers/national-network.ts'
import { tempFolder } from '../helpers/temp.ts'
import { PROJECT } from '../laws/sources.ts'

const [MOST_S, MOST_MB] = [300, 800]

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_S = 100

/** Peak resident memory of a process, MB, and its processor time, s; null once it is over. */
function usageOf(pid: number): { readonly peak_mb: number; readonly cpu_s: number } | null {
  try {
    const [status, stat] = ['status', 'stat'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')) as [string, string]
    // From the third field on: utime and stime are the 14th and 15th (proc(5)).
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
    const peak_mb = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
    return { peak_mb, cpu_s: (Number(user) + Number(system)) / TICKS_PER_S }
  } catch {
    return null
  }
}

test('a national file of a million sections is imported in five minutes and 800 MB, and again in none', async () => {
  const folder = tempFolder()
  const [file, data] = [join(folder, 'national.gpkg'), join(folder, 'data')]
  mkdirSync(join(data, 'store'), { recursive: true })
  writeNationalFile(file, NATIONAL, Date.UTC(2026, 6, 1))
  const began = performance.now()
  const child = spawn(join(PROJECT, 'scripts/roads'), ['import', file, '--data', data], { stdio: ['ignore', 'pipe', 'inherit'] })
  let [used, output] = [{ peak_mb: 0, cpu_s: 0 }, '']
  child.stdout.on('data', (text: Buffer) => {
    output += text
  })
  const watch = setInterval(() => {
    const now = usageOf(child.pid as number)
    // A process that has ended has no memory left.
    if (now && now.peak_mb > 0) used = now
  }, 200)
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearInterval(watch)
  const seconds = (performance.now() - began) / 1000
  const { peak_mb, cpu_s } = used
  process.stderr.write(
    `imported in ${Math.round(seconds)} s, ${Math.round(cpu_s)} s of processor, peak ${Math.round(peak_mb)} MB\n${output.split('\n').slice(-60).join('\n')}\n`,
  )
  expect([code, output.match(/(\d+) parts accepted/)?.[1]]).toEqual([0, expect.stringMatching(/^[1-4]\d$/)])
  // Other work on the machine lengthens the wall time only.
  expect(cpu_s).toBeLessThan(MOST_S)
  expect(peak_mb).toBeLessThan(MOST_MB)
  const again = execFileSync(join(PROJECT, 'scripts/roads'), ['import', file, '--data', data], { encoding: 'utf8' })
  expect(again).toMatch(/: 0 parts accepted, 0 unchanged, [1-4]\d imported before/)
}, 1_200_000)
