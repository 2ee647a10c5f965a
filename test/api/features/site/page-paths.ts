import { assetPath } from '../../../../api/features/site/assets.ts'

/** Paths of pages and of files for browsers and crawlers, which the description leaves out, with an example of each. */
export const PAGES: Readonly<Record<string, string>> = Object.freeze({
  '/': '/',
  '/map': '/map',
  '/map/tiles/{z}/{x}/{y}': '/map/tiles/5/15/12.mvt',
  '/map/token': '/map/token',
  '/plans': '/plans',
  '/datasets': '/datasets',
  '/datasets/{id}': '/datasets/incidents',
  '/sources': '/sources',
  '/models': '/models',
  '/models/{id}': '/models/fuel',
  '/docs': '/docs',
  '/assets/{version}/{name}': assetPath('style.css'),
  '/assets/{version}/{folder}/{name}': assetPath('map/map.css'),
  '/docs/search-index': '/docs/search-index',
  '/docs/spain.svg': '/docs/spain.svg',
  '/docs/reference/{group}': '/docs/reference/road',
  '/docs/reference/{group}/{operation}': '/docs/reference/road/incidents',
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

/** The examples of `PAGES` that are pages for people, with the form for the link to an account. */
export const HTML_PAGES: readonly string[] = [
  ...Object.values(PAGES).filter((path) => !/\.\w+$|search-index|token|\.well-known/.test(path)),
  '/account',
]

/** Paths of the Iceberg catalogue that no person calls: files as S3 has them, signing, and all that it does not have. */
export const OF_THE_LAKE: readonly string[] = [
  '/lake/files/{path}',
  '/lake/iceberg/v1/namespaces/{namespace}/tables/{table}/sign',
  '/lake/iceberg/{path}',
]
