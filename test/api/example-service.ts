import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { runFolder } from '../helpers/run-folder.ts'
import { fillWithExamples, startService, type TestService } from './service.ts'

async function start(): Promise<TestService> {
  // Ended so, a process runs its exit handlers.
  process.once('SIGTERM', () => process.exit())
  const service = await startService({ folder: mkdtempSync(join(runFolder(), 'examples-')) })
  await fillWithExamples(service)
  return service
}

// As a part of loading, it is not the time of the file that happens to be first.
const started = await start()

/** The service with the examples of every dataset, shared by the files of a worker: they only read, and leave it open. */
export async function exampleService(): Promise<TestService> {
  return started
}
