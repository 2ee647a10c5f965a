import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { PROJECT } from '../laws/sources.ts'
import { tempFolder } from './temp.ts'

/** A whole service as started by `scripts/start`, over simulated publishers. */
export interface SimulatedService {
  readonly url: string
  /** Process that started the others. */
  readonly pid: number
  /** Its output. */
  readonly printed: readonly string[]
  /** Creates a key of a plan by the operator's command. */
  key(plan: 'FREE' | 'PRO' | 'ENTERPRISE'): Promise<string>
  /** Stops all of its processes. */
  stop(): Promise<void>
}

/** Starts a service with its own data folder, and waits until it is ready; data arrives later. The caller stops it. */
export async function startSimulatedService(settings: Readonly<Record<string, string>> = {}): Promise<SimulatedService> {
  const { NODE_OPTIONS: _options, VITEST: _vitest, ...env } = process.env
  const folder = tempFolder()
  const service = spawn(process.execPath, ['scripts/service/start.ts', '--port', '0', '--data', folder], {
    cwd: PROJECT,
    env: { ...env, LAND_EVERY_S: '10', LOG_LEVEL: 'error', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [service.stdout, service.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        printed.push(line)
        if (line.startsWith('ready ')) resolve(line.slice('ready '.length))
      })
    service.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${printed.join('\n')}`)))
  })
  return {
    url,
    pid: service.pid as number,
    printed,
    async key(plan) {
      const command = ['scripts/commands/keys.ts', 'create', 'me@example.org', '--plan', plan, '--data', folder]
      const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: PROJECT, env })
      return stdout.split('\n')[0] as string
    },
    async stop() {
      if (service.exitCode !== null) return
      const ended = new Promise((resolve) => service.once('exit', resolve))
      service.kill('SIGTERM')
      await ended
    },
  }
}
