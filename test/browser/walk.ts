import type { Page } from 'playwright-core'

/** A page of the walk through all pages. */
export interface Stop {
  /** Its name in screenshots and messages. */
  readonly name: string
  /** Its path, with `?lang` unless the browser's language chooses. */
  readonly path: (lang: string) => string
  /** True for a state of a page that is also walked without it; walks of few pictures leave it out. */
  readonly isState?: boolean
  /** True if the service refuses what the visitor sends, which the browser reports. */
  readonly isRefused?: boolean
  /** What a visitor does there first. */
  readonly open?: (page: Page, lang: string) => Promise<void>
}

const at = (name: string, path: string, open?: Stop['open'], more: Partial<Stop> = {}): Stop => ({
  ...more,
  name,
  path: (lang) => `${path}?lang=${lang}`,
  ...(open ? { open } : {}),
})

/** Every kind of page that a visitor without a session sees, but the map. */
export const STOPS: readonly Stop[] = [
  at('home', '/'),
  at(
    'home-wrong-mail',
    '/',
    async (page) => {
      await page.locator('#email').fill('ana@localhost')
      await page.locator('.signup button').click()
      await page.getByRole('alert').waitFor()
    },
    { isState: true, isRefused: true },
  ),
  at('new-key', '/', async (page, lang) => {
    await page
      .locator('#email')
      .fill(`${lang}${await page.evaluate<string>("matchMedia('(prefers-color-scheme: dark)').matches")}@example.org`)
    await page.locator('.signup button').click()
    await page.locator('#send').click()
    await page.locator('#reply pre').waitFor()
  }),
  at('plans', '/plans'),
  { name: 'account-mail', path: () => '/account' },
  at('status', '/status'),
  at('datasets', '/datasets'),
  at('datasets-found', '/datasets', async (page) => page.locator('#q').pressSequentially('tren'), { isState: true }),
  at('dataset-changes', '/datasets/incidents'),
  at('dataset-append', '/datasets/traffic_hours'),
  at('dataset-replace', '/datasets/rail_stations'),
  at('sources', '/sources'),
  at('models', '/models'),
  at('model', '/models/fuel'),
  at('docs', '/docs'),
  at(
    'docs-search',
    '/docs',
    async (page, lang) => {
      await page.getByRole('searchbox').pressSequentially(lang === 'es' ? 'gasolineras' : 'fuel')
      await page.locator('#found a').first().waitFor()
    },
    { isState: true },
  ),
  at('guide', '/docs/guides/quick-start'),
  at('group', '/docs/reference/road'),
  at('operation', '/docs/reference/road/incidents'),
  at('method', '/docs/methods/traffic-forecasts'),
  at('problem', '/problems/not-found'),
  at('changelog', '/changelog'),
]

/** The pages of an account, for its owner. */
export const OWNER_STOPS: readonly Stop[] = [{ name: 'account', path: () => '/account' }]
