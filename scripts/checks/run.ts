import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Result of a program: its exit code, and the output of both streams. */
export interface Ran {
  readonly code: number
  readonly output: string
}

/** Runs a program in a folder. */
export async function run(
  folder: string,
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  return { code: (code as number | null) ?? 1, output: out + err }
}

/** Commands with their arguments. */
export type Steps = readonly (readonly [string, ...string[]])[]

/** Runs the steps of a client in order and prints the output of the last one, or of the one that failed; true if none did. */
export async function runSteps(name: string, folder: string, steps: Steps, env: Readonly<Record<string, string>> = {}): Promise<boolean> {
  for (const [at, step] of steps.entries()) {
    const { code, output } = await run(folder, step, env)
    if (code === 0 && at < steps.length - 1) continue
    process.stdout.write(code === 0 ? output : `FAILED ${name}: ${step.slice(0, 3).join(' ')}\n${output.slice(-3000)}\n`)
    if (code !== 0) return false
  }
  return true
}

/** Runs `clean` when this process exits for any reason, for resources that outlive it. Returns a function that cancels it. */
export function atExit(clean: () => void): () => void {
  const once = (): void => {
    try {
      clean()
    } catch {
      // It is gone already.
    }
  }
  // Clean-ups run in the reverse order of their registration.
  process.prependOnceListener('exit', once)
  return () => void process.off('exit', once)
}

/** Makes a temporary folder that is deleted when this process ends, by a signal too. */
export async function folderUntilExit(prefix: string): Promise<string> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
  const folder = await realpath(await mkdtemp(join(tmpdir(), prefix)))
  atExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** Sets the exit code by a check: 0 if all is right, 1 if not, 2 with the error's message if it could not be made. */
export async function exitBy(check: () => Promise<boolean>): Promise<void> {
  try {
    process.exitCode = (await check()) ? 0 : 1
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 2
  }
}
