import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Path of the browser for tests and benches, from the setting `CHROMIUM` or Debian's place; null if it is not installed. */
export const browserPath: string | null = existsSync(CHROMIUM) ? CHROMIUM : null
/** How a reader gets the browser that is missing. */
export const BROWSER_MISSING = `no ${CHROMIUM} (apt-get install chromium, or set CHROMIUM)`

/** Starts the browser, with more flags if needed. It sends no requests of its own. Throws if it is not installed. */
export function startBrowser(flags: readonly string[] = []): Promise<Browser> {
  if (browserPath === null) throw new Error(BROWSER_MISSING)
  return chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'].concat(
      // WebGL without a graphics card.
      ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
      flags,
    ),
  })
}
