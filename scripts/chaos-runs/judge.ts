import { type Case, judge } from './oracle.ts'

// The oracle in a process of its own, which has seen nothing of what the workers did.
process.send?.(await judge(JSON.parse(process.argv[2] as string) as Case))
process.disconnect()
