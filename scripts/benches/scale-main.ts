import { fork } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Filled, LakeSize, Scaled } from './scale.ts'
import type { ScaleStep } from './scale-child.ts'

const CHILD = fileURLToPath(new URL('./scale-child.ts', import.meta.url))
const LIMIT_MB = 4096

/** How a run tells, and the folder that its lake stays in: filled if it is not there, as it is otherwise. Null: one that is gone after. */
export interface ScaleOptions {
  readonly json: boolean
  readonly keptIn: string | null
}

/** Fills a lake of a size and measures it; writes a line for each measurement and sets the exit code where one misses its limit. */
export async function runScale(size: LakeSize, { json, keptIn }: ScaleOptions): Promise<void> {
  const folder = keptIn === null ? await mkdtemp(join(tmpdir(), 'traffic-lake-')) : join(keptIn, size)
  try {
    if (keptIn === null || !(await isThere(folder))) await fill(folder, size, json)
    const measured = await inChild<Scaled[]>('measure', folder, size)
    for (const { name, about, ms, limit_ms, read } of measured.found)
      tell(json, { name, ms, limit_ms, ok: ms <= limit_ms, ...read }, [
        `${ms.toFixed(0)} ms (at most ${limit_ms})`,
        about,
        `${read.files} of ${read.files_of} files, ${mb(read.bytes)} of ${mb(read.bytes_of)} MB${read.taken === null ? '' : `, ${mb(read.taken)} MB read`}`,
      ])
    tell(json, { name: 'memory', rss_mb: measured.rss_mb, ok: measured.rss_mb <= LIMIT_MB }, [
      `${measured.rss_mb.toFixed(0)} MB (at most ${LIMIT_MB})`,
      'of the process that answered all of these',
    ])
  } finally {
    if (keptIn === null) await rm(folder, { recursive: true, force: true })
  }
}

/** Fills a lake; one that was only begun when a run ended is begun anew. */
async function fill(folder: string, size: LakeSize, json: boolean): Promise<void> {
  const begun = `${folder}.begun`
  await rm(begun, { recursive: true, force: true })
  await mkdir(begun, { recursive: true })
  const filled = await inChild<Filled>('fill', begun, size)
  const { rows, fill_s } = filled.found
  // Made by SQL of the bench's own: what that takes of memory is nobody's promise.
  tell(json, { name: 'fill', rows, fill_s, rss_mb: filled.rss_mb, ok: true }, [
    `${(rows / 1e6).toFixed(0)} million readings in ${fill_s.toFixed(0)} s`,
    `${filled.rss_mb.toFixed(0)} MB`,
  ])
  const rolled = await inChild<Readonly<Record<string, number>>>('roll-up', begun, size)
  const parts = Object.entries(rolled.found).map(([name, seconds]) => `${name} ${seconds.toFixed(0)} s`)
  tell(json, { name: 'roll-up', roll_up_s: rolled.found, rss_mb: rolled.rss_mb, ok: rolled.rss_mb <= LIMIT_MB }, [
    parts.join(', '),
    `${rolled.rss_mb.toFixed(0)} MB (at most ${LIMIT_MB})`,
  ])
  await rm(folder, { recursive: true, force: true })
  await rename(begun, folder)
}

async function isThere(folder: string): Promise<boolean> {
  return await access(folder).then(
    () => true,
    () => false,
  )
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}

function tell(
  json: boolean,
  line: { readonly name: string; readonly ok: boolean; readonly [figure: string]: unknown },
  texts: readonly string[],
): void {
  process.stdout.write(json ? `${JSON.stringify(line)}\n` : `${line.ok ? 'ok  ' : 'MISS'} ${line.name}: ${texts.join(' · ')}\n`)
  if (!line.ok) process.exitCode = 1
}

function inChild<T>(step: ScaleStep, folder: string, size: LakeSize): Promise<{ readonly found: T; readonly rss_mb: number }> {
  return new Promise((resolve, reject) => {
    const child = fork(CHILD, [step, folder, size], { env: { ...process.env, UV_THREADPOOL_SIZE: '12' } })
    let answer: { readonly found: T; readonly rss_mb: number } | null = null
    child.on('message', (message) => {
      answer = message as typeof answer
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0 && answer) resolve(answer)
      else reject(new Error(`lake of a ${size}, ${step}: ended with ${signal ?? code}`))
    })
  })
}
