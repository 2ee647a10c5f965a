import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readAsset } from '../../api/features/site/assets.ts'
import { COMPILE_ONLY } from './child.ts'
import { PROCESSES } from './processes.ts'

// Fills Node's compile cache. A process that finds its code there never loads the TypeScript compiler, 20 MB in each of its
// threads. The cache depends on the flags of a process, so each loads its own code once.
const runs: readonly (readonly string[])[] = [
  ...Object.values(PROCESSES).map(({ flags, script }) => [...flags, script]),
  [...PROCESSES.api.flags, '../../api/features/search/thread.ts'],
  // With the flag of scripts/start.
  ['--max-semi-space-size=1', 'start.ts', '--help'],
]
const cwd = import.meta.dirname
const env = { ...process.env, [COMPILE_ONLY]: 'true' }
const ends = runs.map((args) => once(spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit'))
// The first visitor of the map does not wait for its bundle.
await readAsset('page.js')
for (const [code] of await Promise.all(ends)) if (code !== 0) process.exitCode = 1
