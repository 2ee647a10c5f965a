import { type ExportJob, readJobs } from '../../../lake/exports/jobs.ts'
import type { AccountParts } from '../../auth/account-parts.ts'
import { jobFile } from '../exports/job-files.ts'
import type { SignedLinks } from '../exports/signed-links.ts'
import type { WebhookOwner } from '../webhooks/owner.ts'
import type { OwnJob } from './account-delivery-html.ts'
import type { AccountView } from './account-html.ts'
import { usageByKey } from './account-usage.ts'

/** Export jobs that the page shows; the API lists more. */
const SHOWN_JOBS = 20

/** Collects the data of an account's page. Usage that cannot be read, as while the lake is busy, is left out. */
export async function accountView(
  parts: Pick<AccountParts, 'access' | 'usageDays' | 'lake' | 'clock'> & {
    readonly webhooks: Pick<WebhookOwner, 'list'>
    readonly links: Pick<SignedLinks, 'link'>
    readonly supportContact: string | null
  },
  account: string,
): Promise<AccountView> {
  const { access, usageDays, lake, clock, webhooks, links, supportContact } = parts
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
    jobs: await Promise.all(jobs.slice(0, SHOWN_JOBS).map((job) => withFiles(job, links, now))),
    supportContact,
  }
}

/** Adds the files of a job that is ready, each with a URL to download it. */
async function withFiles(job: ExportJob, links: Pick<SignedLinks, 'link'>, now: number): Promise<OwnJob> {
  const { request, state, outcome } = job
  if (state !== 'READY' || !outcome) return { job, files: [] }
  const of = { id: request.id, attempt: outcome.attempt ?? null }
  return {
    job,
    files: await Promise.all(
      outcome.files.map(async ({ name, bytes }) => ({ name, bytes, url: (await links.link(jobFile(of, name), now)).url })),
    ),
  }
}
