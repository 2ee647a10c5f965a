import { fillScale, type LakeSize, measureScale } from './scale.ts'

/** Runs in a process of its own, so that nothing else is in its memory: fills a lake, or measures it, and sends what it found. */
const [, , step, folder, size] = process.argv as [string, string, 'fill' | 'measure', string, LakeSize]
if (!process.send) throw new Error('scale-child.ts is started by scale-main.ts')
const found = step === 'fill' ? await fillScale(folder, size) : await measureScale(folder, size)
process.send({ found, rss_mb: process.resourceUsage().maxRSS / 1024 })
process.disconnect()
