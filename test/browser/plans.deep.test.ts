import { describe, expect, test } from 'vitest'
import { DEFAULT_PLANS } from '../../api/auth/plans.ts'
import { browserPath, browserStage } from '../helpers/browser.ts'
import { expectReadable, LOOKS, onPage } from './on-page.ts'

const stage = browserStage({ plans: DEFAULT_PLANS, supportContact: 'mailto:support@example.org' })

describe.skipIf(!browserPath)('the page of plans in a browser', () => {
  test.each(LOOKS)('in %s, %s, fits the screen, has contrast and names for all', async (lang, look, size) => {
    await onPage(stage, { path: '/plans', lang, look, size }, async (page, complaints) => {
      const es = lang === 'es'
      await expectReadable(page, { lang, size })
      const table = page.getByRole('table')
      await table.getByRole('columnheader', { name: 'ENTERPRISE' }).waitFor()
      await table.getByRole('rowheader', { name: es ? 'Precio al mes' : 'Price per month' }).waitFor()
      for (const plan of ['FREE', 'PRO', 'ENTERPRISE']) {
        const region = page.getByRole('region', { name: plan, exact: true })
        expect(await region.getByRole('listitem').count(), plan).toBeGreaterThan(2)
      }
      await page
        .getByRole('banner')
        .getByRole('link', { name: es ? 'Planes' : 'Plans', exact: true })
        .waitFor()
      expect(complaints).toEqual([])
    })
  })
})
