import { type Case, judge } from './oracle.ts'

// The oracle in a separate process, which knows nothing of the workers' actions.
process.send?.(await judge(JSON.parse(process.argv[2] as string) as Case))
process.disconnect()
