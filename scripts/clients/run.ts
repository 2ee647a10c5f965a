import { spawn } from 'node:child_process'
import { once } from 'node:events'
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

/** Runs the steps of a client in order and prints the output of the last one, or of the one that failed; true if none did. */
export async function runSteps(
  name: string,
  folder: string,
  steps: readonly (readonly [string, ...string[]])[],
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  for (const [at, step] of steps.entries()) {
    const { code, output } = await run(folder, step, env)
    if (code === 0 && at < steps.length - 1) continue
    process.stdout.write(code === 0 ? output : `FAILED ${name}: ${step.slice(0, 3).join(' ')}\n${output.slice(-3000)}\n`)
    if (code !== 0) return false
  }
  return true
}
