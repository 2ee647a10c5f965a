import { BENCHES } from './list.ts'
import { type Answer, runStep, type Step } from './steps.ts'

/** Runs one step of one bench in a separate process, so that its memory contains nothing else, and sends the result. */
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
// Resources that a failed step left open would keep the process alive.
process.send(answer, () => ('failed' in answer ? process.exit(1) : process.disconnect()))
