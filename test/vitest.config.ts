import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { TestReport } from './helpers/report.ts'
import { SlowestFirst } from './helpers/sequencer.ts'
import { TIER } from './helpers/tier.ts'

// The code reads no local time. A local getter shows here: this zone is west of Greenwich, with other clock changes than Madrid.
process.env['TZ'] = 'America/New_York'
// Processes that tests start load their modules in half the time.
process.env['NODE_COMPILE_CACHE'] ??= new URL('../node_modules/.cache/node-compile', import.meta.url).pathname

const FOLDERS = { api: ['api'], lake: ['jobs', 'lake'], rest: ['browser', 'laws', 'models', 'publishers', 'scripts'] }

/** Projects share their workers' modules among files, which saves most of the loading time. Three projects bound memory. */
function project(name: keyof typeof FOLDERS): TestProjectConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: FOLDERS[name].map((folder) => `test/${folder}/**/*.test.ts`),
      exclude: TIER === 'default' ? ['test/**/*.deep.test.ts'] : [],
    },
  }
}

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    globalSetup: [new URL('./helpers/run-folder.ts', import.meta.url).pathname],
    setupFiles: [new URL('./helpers/setup.ts', import.meta.url).pathname],
    isolate: false,
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    sequence: { sequencer: SlowestFirst },
    projects: [project('api'), project('lake'), project('rest')],
    reporters: ['default', new TestReport()],
  },
})
