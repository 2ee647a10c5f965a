import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnyBench, StepRunner } from './measure.ts'

/**
 * Returns the function that gives the folder with the input of a bench, in which its `setUp` has run; benches with the same
 * `setUp` share it. `kept` is a folder that stays, with a number for further inputs: one from an interrupted run is filled
 * again from the start.
 */
export function inputsIn(folder: string, step: StepRunner, kept: string | null = null): (bench: AnyBench) => Promise<string> {
  const made = new Map<unknown, string>()
  return async (bench) => {
    const what = bench.setUp ?? bench
    const keptHere = kept === null || made.size === 0 ? kept : `${kept}-${made.size}`
    const into = made.get(what) ?? keptHere ?? join(folder, `input-${made.size}`)
    made.set(what, into)
    if (existsSync(into)) return into
    const begun = `${into}.begun`
    await rm(begun, { recursive: true, force: true })
    await mkdir(begun, { recursive: true })
    if (bench.setUp) await step(bench, 'set-up', begun)
    await rename(begun, into)
    return into
  }
}
