import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Null where there is no browser, after one line on standard error: tests then skip with `skipIf`. */
export const browserPath: string | null = existsSync(CHROMIUM) ? CHROMIUM : null
if (!browserPath)
  process.stderr.write(`skipped: no ${CHROMIUM} (apt-get install chromium, or set CHROMIUM), so tests in a browser do not run\n`)

/** Starts the browser. It asks for nothing by itself. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath as string,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
  })
}
