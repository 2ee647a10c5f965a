import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'

/** A Lua script and its digest. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** Declares a script. */
export function defineScript(lua: string): Script {
  return Object.freeze({ lua, sha: createHash('sha1').update(lua).digest('hex') })
}

/** Runs a script by its digest, or by its text if Redis does not have it (yet, or since a restart). */
export async function runScript(
  redis: Redis,
  script: Script,
  { keys, args }: { readonly keys: readonly string[]; readonly args: readonly (string | number | Buffer)[] },
): Promise<unknown> {
  // `call` takes one list: spreading 100,000 arguments would overflow the stack.
  const rest = ([keys.length] as (string | number | Buffer)[]).concat(keys, args)
  const run = (command: string, name: string): Promise<unknown> =>
    redis.call(command, ([name] as (string | number | Buffer)[]).concat(rest))
  try {
    return await run('EVALSHA', script.sha)
  } catch (error) {
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error
    return await run('EVAL', script.lua)
  }
}
