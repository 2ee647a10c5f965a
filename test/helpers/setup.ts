import { availableParallelism, loadavg } from 'node:os'
import { afterAll, beforeAll } from 'vitest'
import { fixedWork_ms } from './speed.ts'
import { removeFileFolders } from './temp.ts'

const began = process.cpuUsage()

beforeAll(({}, file) => {
  Object.assign(file.meta, { fixedWork_ms: fixedWork_ms(), load: (loadavg()[0] as number) / availableParallelism() })
})

// Registered before the hooks of the test file, so it runs after them: everything in the folders is closed by then.
afterAll(({}, file) => {
  removeFileFolders()
  const { user, system } = process.cpuUsage(began)
  Object.assign(file.meta, { cpu_ms: (user + system) / 1000 })
})
