import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { fillWithExamples, startService, type TestService } from '../api/service.ts'
import { skipWithout } from './missing.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Null without a browser, after one line on standard error: tests then skip with `skipIf`. */
export const browserPath: string | null = existsSync(CHROMIUM) ? CHROMIUM : null
if (!browserPath) skipWithout('browser', `no ${CHROMIUM} (apt-get install chromium, or set CHROMIUM), so tests in a browser do not run`)

/** A service and a browser that opens its pages. */
export interface BrowserStage {
  service: TestService
  browser: Browser
}

/**
 * The API over example rows, and a browser, for all tests of a file; `options` are the service's. Both are missing if there is no
 * browser.
 */
export function browserStage(options: Parameters<typeof startService>[0] = {}): BrowserStage {
  const stage = {} as BrowserStage
  beforeAll(async () => {
    if (!browserPath) return
    stage.service = await startService(options)
    await fillWithExamples(stage.service)
    stage.browser = await startBrowser()
  })
  afterAll(async () => {
    await stage.browser?.close()
    await stage.service?.close()
  })
  return stage
}

/** Starts the browser. It sends no requests of its own. */
function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath as string,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'].concat(
      // WebGL without a graphics card.
      ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    ),
  })
}
