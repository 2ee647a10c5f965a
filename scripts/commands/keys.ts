import { join } from 'node:path'
import type { Access } from '../../api/auth/access.ts'
import type { ListedKey } from '../../api/auth/accounts.ts'
import type { Plan } from '../../api/auth/keys/slots.ts'
import { normalEmail } from '../../api/auth/mail/email.ts'
import { readPlans } from '../../api/auth/plans.ts'
import { LABEL } from '../../api/features/accounts/account-fields.ts'
import { LANGUAGES, type Language } from '../../api/kernel/language.ts'
import type { Config } from '../../lake/config.ts'
import type { Json } from '../../lake/schema/columns.ts'
import { PLANS } from '../../lake/schema/dataset.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import { type RedisServer, startRedis } from '../redis.ts'
import { openServiceAccess } from '../service/access.ts'
import { apiOf } from '../service/claim.ts'
import { cliConfig, dataFolder, openServiceStore, serviceLog } from '../service/store.ts'
import { monthlyInvoice } from './invoice.ts'
import { runCommand, runSubcommand, say, table, type Values } from './output.ts'
import { withLake } from './service.ts'
import { monthAt, monthlyUsage, monthOf } from './usage.ts'

const USAGE = `scripts/keys <command> [--data <dir>]

  create <email> [--label <text>] [--plan <plan>] [--lang es|en] [--lake-writer]
                         a new key, shown once; its owner gets the usual mail. A lake writer, of the plan ENTERPRISE,
                         also writes tables through the Iceberg catalogue
  list [<email>]         the keys of an address, or of everybody
  grant <id> <plan>      set the plan of a key: ${PLANS.join(', ')}
  usage [<id>] [--month <yyyy-mm>] [--csv]
                         use by one key, or by every key, in a month of Madrid (default: this month)
  invoice <account> --month <yyyy-mm>
                         the invoice of an address, or of an account by the beginning of its name, as a page (HTML)
  revoke <id>            end a key for good; every process refuses it within a minute, at once where Redis runs

Ids are those of 'list' (key_…). Limits of how often one may ask do not count here, but an address has at most three free keys.`

const OPTIONS = {
  data: { type: 'string' },
  label: { type: 'string' },
  plan: { type: 'string' },
  lang: { type: 'string' },
  month: { type: 'string' },
  csv: { type: 'boolean' },
  'lake-writer': { type: 'boolean' },
} as const
type Given = Values<typeof OPTIONS>

function main(args: readonly string[], values: Given): Promise<void> {
  const config = () => cliConfig(values.data)
  const inAccess = (work: (access: Access) => Promise<void>) => withAccess(config(), work)
  return runSubcommand(
    USAGE,
    args,
    new Map([
      ['create', [1, 1, (email: string) => inAccess((access) => create(access, config(), emailOf(email), values))]],
      ['list', [0, 1, (email?: string) => inAccess((access) => list(access, email === undefined ? null : emailOf(email)))]],
      ['grant', [2, 2, (id: string, plan: string) => inAccess((access) => grant(access, id, planOf(plan)))]],
      ['revoke', [1, 1, (id: string) => inAccess((access) => revoke(access, id))]],
      ['usage', [0, 1, (id?: string) => usage(config(), id ?? null, values)]],
      ['invoice', [1, 1, (account: string) => invoice(config(), account, values.month)]],
    ]),
  )
}

async function create(access: Access, config: Config, email: string, options: Given): Promise<void> {
  const label = options.label === undefined ? null : LABEL.read(options.label)
  if (label === undefined) throw new Error(`--label: ${LABEL.expected}`)
  const language: Language | undefined = LANGUAGES.find((one) => one === (options.lang ?? 'es'))
  if (!language) throw new Error(`--lang ${options.lang}: one of ${LANGUAGES.join(', ')}`)
  const isLakeWriter = options['lake-writer'] === true
  const plan = planOf(options.plan ?? (isLakeWriter ? 'ENTERPRISE' : 'FREE'))
  if (isLakeWriter && plan !== 'ENTERPRISE') throw new Error(`--lake-writer: needs the plan ENTERPRISE, not ${plan}`)
  const made = await access.accounts.create({ email, label, language, plan, isLakeWriter })
  const url = config.publicUrl ?? apiOf(dataFolder(config)) ?? `http://${config.host}:${config.port}`
  await access.mailLink({ reason: 'key-made', email, account: made.account, language, page: `${url}/account` })
  say(made.key)
  show([[made.account, made]])
}

async function list(access: Access, email: string | null): Promise<void> {
  const { accounts } = access
  const rows: [string, ListedKey][] = []
  const add = async (account: string): Promise<void> => {
    for (const key of await accounts.list(account)) rows.push([account, key])
  }
  if (email !== null) await add(await accounts.nameOf(email))
  else for await (const account of accounts.names()) await add(account)
  show(rows)
}

async function grant(access: Access, id: string, plan: Plan): Promise<void> {
  const account = await ownerOf(access, id)
  show([[account, await access.accounts.grant({ account, id, plan })]])
}

async function revoke(access: Access, id: string): Promise<void> {
  const account = await ownerOf(access, id)
  show([[account, await access.accounts.revoke({ account, id })]])
}

/** Prints the usage, with or without a running service. */
async function usage(config: Config, key: string | null, { month: stated, csv: isCsv = false }: Given): Promise<void> {
  if (key !== null && !/^key_[0-9a-f]{20}$/.test(key)) throw new Error(`${key}: no id of a key; scripts/keys list shows them`)
  const now = Date.now()
  const month = monthOf(stated ?? monthAt(now))
  await withLake(config, async (lake) => say(await monthlyUsage(lake, { key, month, isCsv, now })))
}

/** Prints the invoice of an account. */
async function invoice(config: Config, named: string, stated: string | undefined): Promise<void> {
  if (stated === undefined) throw new Error('invoice: which --month, such as 2026-10?')
  const month = monthOf(stated)
  await withAccess(config, async ({ accounts }) => {
    const account = await accountOf(accounts, named)
    const email = (await accounts.contact(account))?.email ?? ''
    await withLake(config, async (lake) =>
      say(await monthlyInvoice(lake, { account, email, month, plans: readPlans(config.plans), now: Date.now() })),
    )
  })
}

/** Returns the account of an address, or the one whose name starts with the text. */
async function accountOf(accounts: Access['accounts'], text: string): Promise<string> {
  if (text.includes('@')) return accounts.nameOf(emailOf(text))
  const found: string[] = []
  for await (const name of accounts.names()) if (/^[0-9a-f]{8,}$/.test(text) && name.startsWith(text)) found.push(name)
  const [account] = found
  if (account === undefined || found.length > 1) throw new Error(`${text}: ${found.length} accounts; scripts/keys list shows them`)
  return account
}

function show(rows: readonly (readonly [string, ListedKey])[]): void {
  const lines = rows.map(([account, { id, hint, label, plan, status, created_at, ends_at, isLakeWriter }]): Json[] => [
    id,
    `${hint.first}…${hint.last}`,
    plan,
    status,
    isoInstant(created_at),
    ends_at === null ? null : isoInstant(ends_at),
    account.slice(0, 12),
    isLakeWriter ? 'lake' : null,
    label,
  ])
  say(table(['id', 'key', 'plan', 'status', 'created', 'ends', 'account', 'writes', 'label'], lines))
}

async function ownerOf({ accounts }: Access, id: string): Promise<string> {
  const account = await accounts.ownerOf(id)
  if (account === null) throw new Error(`${id}: no working key has this id; scripts/keys list shows the ids`)
  return account
}

function emailOf(text: string): string {
  const email = normalEmail(text)
  if (email === null) throw new Error(`${text}: no e-mail address`)
  return email
}

function planOf(text: string): Plan {
  const plan = PLANS.find((one) => one === text)
  if (!plan) throw new Error(`${text}: no plan; one of ${PLANS.join(', ')}`)
  return plan
}

/** Runs work on the keys of a configuration, with or without a running service. Without Redis, processes are not notified. */
async function withAccess(config: Config, work: (access: Access) => Promise<void>): Promise<void> {
  const log = serviceLog(config, 'cli')
  const store = await openServiceStore(config)
  const folder = join(dataFolder(config), 'redis')
  let server: RedisServer | null = null
  try {
    if (config.redisUrl === null)
      server = await startRedis({ folder, appendOnly: true }).catch((error: Error) => {
        log.warn({ reason: error.message }, 'Redis is not available; running processes notice the change within a minute')
        return null
      })
    const redisUrl = config.redisUrl ?? server?.url ?? join(folder, 'redis.sock')
    const { access, close } = await openServiceAccess(config, { store, redisUrl, log })
    try {
      await access.keys.ready
      await work(access)
    } finally {
      await close()
    }
  } finally {
    if (server && !server.adopted) await server.stop()
    await store.close()
  }
}

await runCommand({ usage: USAGE, options: OPTIONS, takes: [1, Number.POSITIVE_INFINITY] }, main)
