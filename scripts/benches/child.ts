import { BENCHES } from './list.ts'
import { type Answer, runStep, type Step } from './steps.ts'

/** Runs in a process of its own, so that nothing else is in its memory: does one step of one bench and sends what it found. */
const [, , name, step, folder, made = folder] = process.argv as [string, string, string, Step, string, string?]
const bench = BENCHES.find((one) => one.name === name)
if (!bench || !process.send) throw new Error(`child.ts is started by main.ts; no bench ${name}`)
let answer: Answer
try {
  answer = { found: await runStep(bench, step, folder, made) }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  answer = { failed: error instanceof Error ? error.message : String(error) }
}
// What a failed step left open would keep the process.
process.send(answer, () => ('failed' in answer ? process.exit(1) : process.disconnect()))
