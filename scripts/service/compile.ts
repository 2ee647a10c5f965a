import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { COMPILE_ONLY } from './child.ts'
import { PROCESSES } from './processes.ts'

// Fills Node's compile cache. A process that finds its code there never loads the TypeScript compiler, which takes 20 MB in each of
// its threads. The cache depends on the flags of a process, so each loads its own code once.
const threads = ['api/features/search/thread.ts']
const runs: readonly (readonly string[])[] = [
  ...Object.values(PROCESSES).map(({ flags, script }) => [...flags, join(import.meta.dirname, script)]),
  ...threads.map((thread) => [...PROCESSES.api.flags, thread]),
  ['--max-semi-space-size=1', join(import.meta.dirname, 'start.ts'), '--help'],
]
const ends = runs.map((args) =>
  once(spawn(process.execPath, args, { env: { ...process.env, [COMPILE_ONLY]: 'true' }, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit'),
)
for (const [code] of await Promise.all(ends)) if (code !== 0) process.exitCode = 1
