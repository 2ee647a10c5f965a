import { fillScale, type LakeSize, measureScale, rollUpScale } from './scale.ts'

/** The steps of a run. */
const STEPS = { fill: fillScale, 'roll-up': rollUpScale, measure: measureScale } as const
export type ScaleStep = keyof typeof STEPS

/** Runs a step in a separate process, so that its memory contains nothing else, and sends the result. */
const [, , step, folder, size] = process.argv as [string, string, ScaleStep, string, LakeSize]
if (!process.send) throw new Error('scale-child.ts is started by scale-main.ts')
const found = await STEPS[step](folder, size)
process.send({ found, rss_mb: process.resourceUsage().maxRSS / 1024 })
process.disconnect()
