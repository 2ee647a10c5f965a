import { assetPath } from '../../../../api/features/site/assets.ts'
import { SCRIPTS } from '../../../../api/features/site/docs.ts'

/** Paths of pages and of files for browsers and crawlers, which the description leaves out, with an example of each. */
export const PAGES: Readonly<Record<string, string>> = Object.freeze({
  '/': '/',
  '/plans': '/plans',
  '/docs': '/docs',
  '/assets/{version}/{name}': assetPath('style.css'),
  '/docs/assets/{version}/{name}': `/docs/assets/${SCRIPTS['start.js'].version}/start.js`,
  '/docs/methods/{name}': '/docs/methods/traffic-forecasts',
  '/docs/guides/{name}': '/docs/guides/quick-start',
  '/problems/{code}': '/problems/not-found',
  '/changelog': '/changelog',
  '/llms.txt': '/llms.txt',
  '/robots.txt': '/robots.txt',
  '/favicon.ico': '/favicon.ico',
  '/.well-known/api-catalog': '/.well-known/api-catalog',
  '/.well-known/security.txt': '/.well-known/security.txt',
})

/** Paths of forms of an account. */
export const ACCOUNT_PAGES: readonly string[] = ['/account', '/signup']
