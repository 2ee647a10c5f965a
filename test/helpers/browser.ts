import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { fillWithExamples, startService, type TestService } from '../api/service.ts'
import { BROWSER_MISSING, browserPath, startBrowser } from './chromium.ts'
import { skipWithout } from './missing.ts'

// After one line on standard error: tests then skip with `skipIf`.
if (!browserPath) skipWithout('browser', `${BROWSER_MISSING}, so tests in a browser do not run`)

export { browserPath }

/** A service and a browser that opens its pages. */
export interface BrowserStage {
  service: TestService
  browser: Browser
}

/**
 * The API over example rows, and a browser, for all tests of a file; `options` are the service's, `flags` more of the browser's.
 * Both are missing if there is no browser.
 */
export function browserStage(options: Parameters<typeof startService>[0] = {}, flags: readonly string[] = []): BrowserStage {
  const stage = {} as BrowserStage
  beforeAll(async () => {
    if (!browserPath) return
    stage.service = await startService(options)
    await fillWithExamples(stage.service)
    stage.browser = await startBrowser(flags)
  })
  afterAll(async () => {
    await stage.browser?.close()
    await stage.service?.close()
  })
  return stage
}
