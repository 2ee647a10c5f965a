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

/** What a script gets, and whether the texts of its reply are read as bytes. */
interface ScriptCall {
  readonly keys: readonly string[]
  readonly args: readonly (string | number | Buffer)[]
  readonly asBytes?: boolean
}

/** Runs a script by its digest, or by its text if Redis does not have it (yet, or since a restart). */
export async function runScript(redis: Redis, script: Script, { keys, args, asBytes = false }: ScriptCall): Promise<unknown> {
  // `call` takes one list: spreading 100,000 arguments would overflow the stack.
  const rest = ([keys.length] as (string | number | Buffer)[]).concat(keys, args)
  const run = (command: string, name: string): Promise<unknown> => {
    const all = ([name] as (string | number | Buffer)[]).concat(rest)
    return asBytes ? redis.callBuffer(command, all) : redis.call(command, all)
  }
  try {
    return await run('EVALSHA', script.sha)
  } catch (error) {
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error
    return await run('EVAL', script.lua)
  }
}
