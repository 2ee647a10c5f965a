import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NATIONAL, writeNationalFile } from '../helpers/national-network.ts'
import { tempFolder } from '../helpers/temp.ts'
import { PROJECT } from '../laws/sources.ts'

const [MOST_S, MOST_MB] = [300, 800]

/** Peak resident memory of a process, MB; null once it is over. */
function peakOf(pid: number): number | null {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
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
  let [peak_mb, output] = [0, '']
  child.stdout.on('data', (text: Buffer) => {
    output += text
  })
  const watch = setInterval(() => {
    peak_mb = Math.max(peak_mb, peakOf(child.pid as number) ?? 0)
  }, 200)
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearInterval(watch)
  const seconds = (performance.now() - began) / 1000
  process.stderr.write(
    `imported in ${Math.round(seconds)} s, peak ${Math.round(peak_mb)} MB\n${output.split('\n').slice(-60).join('\n')}\n`,
  )
  expect([code, output.match(/(\d+) parts accepted/)?.[1]]).toEqual([0, expect.stringMatching(/^[1-4]\d$/)])
  expect(seconds).toBeLessThan(MOST_S)
  expect(peak_mb).toBeLessThan(MOST_MB)
  const again = execFileSync(join(PROJECT, 'scripts/roads'), ['import', file, '--data', data], { encoding: 'utf8' })
  expect(again).toMatch(/: 0 parts accepted, 0 unchanged, [1-4]\d imported before/)
}, 1_200_000)
