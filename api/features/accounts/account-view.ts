import { readJobs } from '../../../lake/exports/jobs.ts'
import type { AccountParts } from '../../auth/account-parts.ts'
import type { WebhookOwner } from '../webhooks/owner.ts'
import type { AccountView } from './account-html.ts'
import { usageByKey } from './account-usage.ts'

/** Export jobs that the page shows; the API lists more. */
const SHOWN_JOBS = 20

/** Collects the data of an account's page. Usage that cannot be read, as while the lake is busy, is left out. */
export async function accountView(
  parts: Pick<AccountParts, 'access' | 'usageDays' | 'lake' | 'clock'> & {
    readonly webhooks: Pick<WebhookOwner, 'list'>
    readonly supportContact: string | null
  },
  account: string,
): Promise<AccountView> {
  const { access, usageDays, lake, clock, webhooks, supportContact } = parts
  const now = clock()
  const keys = await access.accounts.list(account)
  const [usageMails, usage, own, jobs] = await Promise.all([
    access.accounts.usageMails(account),
    usageByKey(usageDays, { account, keys, now }).catch(() => null),
    webhooks.list(account),
    readJobs(lake.store, [...new Set(keys.map(({ slot }) => slot))], now),
  ])
  const mayHaveWebhooks = keys.some(({ plan, status }) => plan === 'ENTERPRISE' && (status === 'ACTIVE' || status === 'ROTATING'))
  return {
    keys,
    usageMails,
    usage,
    webhooks: mayHaveWebhooks || own.length > 0 ? own : null,
    jobs: jobs.slice(0, SHOWN_JOBS),
    supportContact,
  }
}
