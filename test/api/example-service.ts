import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { runFolder } from '../helpers/run-folder.ts'
import { fillWithExamples, startService, type TestService } from './service.ts'

let started: Promise<TestService> | undefined

/** The service with the examples of every dataset that files of a worker share: they only read, and leave it open. */
export function exampleService(): Promise<TestService> {
  started ??= start()
  return started
}

async function start(): Promise<TestService> {
  // Ended so, a process runs what its exit cleans up.
  process.once('SIGTERM', () => process.exit())
  const service = await startService({ folder: mkdtempSync(join(runFolder(), 'examples-')) })
  await fillWithExamples(service)
  return service
}
