import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { fillWithExamples, startService, type TestService } from '../api/service.ts'
import { skipWithout } from './missing.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Null where there is no browser, after one line on standard error: tests then skip with `skipIf`. */
export const browserPath: string | null = existsSync(CHROMIUM) ? CHROMIUM : null
if (!browserPath) skipWithout('browser', `no ${CHROMIUM} (apt-get install chromium, or set CHROMIUM), so tests in a browser do not run`)

/** The API over example rows, and a browser, for all tests of a file; neither is there where there is no browser. */
export function browserStage(): { service: TestService; browser: Browser } {
  const stage = {} as { service: TestService; browser: Browser }
  beforeAll(async () => {
    if (!browserPath) return
    stage.service = await startService()
    await fillWithExamples(stage.service)
    stage.browser = await startBrowser()
  })
  afterAll(async () => {
    await stage.browser?.close()
    await stage.service?.close()
  })
  return stage
}

/** Starts the browser. It asks for nothing by itself. */
function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath as string,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
  })
}
