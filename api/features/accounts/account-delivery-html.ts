import type { ExportJob } from '../../../lake/exports/jobs.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { escaped, moment } from '../site/html.ts'
import { shownWebhook } from '../webhooks/shown.ts'
import type { Delivery, WebhookState } from '../webhooks/state.ts'
import type { Subscription } from '../webhooks/subscriptions.ts'
import { button, scrollTable } from './account-forms.ts'

/** A webhook with its progress. */
export interface OwnWebhook {
  readonly subscription: Subscription
  readonly state: WebhookState | null
}

/** An export job with the files that can be downloaded. */
export interface OwnJob {
  readonly job: ExportJob
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly url: string }[]
}

/** Deliveries of a webhook that the page shows; the API lists more. */
const SHOWN_DELIVERIES = 10

const WORDS = inBoth({
  webhooks: ['Webhooks', 'Webhooks'],
  none: ['No hay ninguno.', 'There are none.'],
  by: ['Se crean, cambian y borran con la API:', 'They are created, changed and deleted with the API:'],
  status: [
    { ENABLED: 'activo', FAILING: 'falla', DISABLED: 'desactivado' },
    { ENABLED: 'enabled', FAILING: 'failing', DISABLED: 'disabled' },
  ],
  reasons: [
    {
      'by-owner': 'por usted',
      gone: 'el receptor respondió 410',
      failing: 'falló durante cinco días',
      'plan-changed': 'ninguna clave tiene el plan ENTERPRISE',
      'filter-invalid': 'el filtro contiene un valor que ya no existe',
    },
    {
      'by-owner': 'by you',
      gone: 'the receiver answered 410',
      failing: 'it failed for five days',
      'plan-changed': 'no key has the plan ENTERPRISE',
      'filter-invalid': 'the filter has a value that no longer exists',
    },
  ],
  since: ['desde el', 'since'],
  waiting: [(count: number) => `En espera: ${count}.`, (count: number) => `Waiting: ${count}.`],
  test: ['Enviar una prueba', 'Send a test'],
  enable: ['Activar', 'Turn on'],
  disable: ['Desactivar', 'Turn off'],
  deliveries: ['Últimas entregas a', 'Last deliveries to'],
  noDeliveries: ['Todavía no hay entregas.', 'No deliveries yet.'],
  heads: [
    ['Evento', 'Creado', 'Estado', 'Intentos', 'Último intento', 'Próximo intento', 'Acciones'],
    ['Event', 'Created', 'State', 'Attempts', 'Last attempt', 'Next attempt', 'Actions'],
  ],
  delivery: [
    { PENDING: 'pendiente', DELIVERED: 'entregado', RETRYING: 'se reintenta', FAILED: 'fallido' },
    { PENDING: 'pending', DELIVERED: 'delivered', RETRYING: 'retrying', FAILED: 'failed' },
  ],
  redeliver: ['Enviar de nuevo', 'Send again'],
  jobs: ['Trabajos de exportación', 'Export jobs'],
  jobsBy: ['Se crean con la API:', 'They are created with the API:'],
  jobHeads: [
    ['Trabajo', 'Conjunto', 'Formato', 'Estado', 'Creado', 'Disponible hasta', 'Archivos'],
    ['Job', 'Dataset', 'Format', 'State', 'Created', 'Available until', 'Files'],
  ],
  progress: [(pct: string) => `Hecho: ${pct}`, (pct: string) => `Done: ${pct}`],
  states: [
    {
      ...{ QUEUED: 'en cola', RUNNING: 'en marcha', READY: 'listo' },
      ...{ FAILED: 'fallido', EXPIRED: 'caducado', CANCELLED: 'cancelado' },
    },
    {
      ...{ QUEUED: 'queued', RUNNING: 'running', READY: 'ready' },
      ...{ FAILED: 'failed', EXPIRED: 'expired', CANCELLED: 'cancelled' },
    },
  ],
})

/** Renders the webhooks of an account with their state, their last deliveries and their actions. */
export function webhooksSection(language: Language, webhooks: readonly OwnWebhook[]): string {
  const words = WORDS[language]
  const all = webhooks.length === 0 ? `<p>${words.none}</p>` : webhooks.map((one) => webhookHtml(language, one)).join('\n')
  return `<section aria-labelledby="webhooks"><h2 id="webhooks">${words.webhooks}</h2>${all}\n<p><small>${words.by} <a href="/docs"><code>/api/webhooks</code></a></small></p></section>`
}

function webhookHtml(language: Language, { subscription, state }: OwnWebhook): string {
  const words = WORDS[language]
  const { id, url, description } = subscription
  const { status, disabled_reason, disabled_at, failing_since, waiting } = shownWebhook(subscription, state)
  const reason = disabled_reason === null ? '' : ` (${words.reasons[disabled_reason]})`
  const from = status === 'DISABLED' ? disabled_at : failing_since
  const since = from === null ? '' : ` ${words.since} ${moment(Date.parse(from), language)}`
  const level = { ENABLED: 'ok', FAILING: 'warn', DISABLED: 'bad' }[status]
  const isOff = status === 'DISABLED'
  const acts = [
    isOff ? '' : button(words.test, { act: 'webhook-test', id }),
    button(isOff ? words.enable : words.disable, { act: 'webhook-enabled', id, enabled: isOff ? 'yes' : 'no' }),
  ]
  const deliveries = (state?.deliveries ?? []).slice(0, SHOWN_DELIVERIES)
  const rows = deliveries.map((delivery) => {
    // A test has no event in the log that could be sent again.
    const canRepeat = !isOff && delivery.offset !== null
    const repeat = canRepeat ? button(words.redeliver, { act: 'webhook-redeliver', id, delivery: delivery.id }) : ''
    return [...deliveryCells(language, delivery), repeat]
  })
  return `<article aria-labelledby="${id}"><h3 id="${id}"><code>${escaped(url)}</code></h3>${description === null ? '' : `<p>${escaped(description)}</p>`}
<p><strong class="${level}">${words.status[status]}</strong>${reason}${since}. ${waiting === 0 ? '' : words.waiting(waiting)}</p><div class="actions">${acts.join(' ')}</div>
${rows.length === 0 ? `<p>${words.noDeliveries}</p>` : scrollTable(`${words.deliveries} ${url}`, words.heads, rows)}</article>`
}

function deliveryCells(language: Language, delivery: Delivery): string[] {
  const words = WORDS[language]
  const { last, next_at } = delivery
  const outcome = last && [last.status === null ? '' : `HTTP ${last.status}`, last.error ?? ''].filter((text) => text !== '').join(', ')
  return [
    `<code>${escaped(delivery.type)}</code>`,
    moment(delivery.created_at, language),
    words.delivery[delivery.status],
    String(delivery.attempts),
    last ? `${moment(last.at, language)}<br>${escaped(outcome ?? '')} (${last.ms} ms)` : '—',
    next_at === null ? '—' : moment(next_at, language),
  ]
}

/** Renders the export jobs of an account with their progress and files, newest first; nothing if there are none. */
export function jobsSection(language: Language, jobs: readonly OwnJob[]): string {
  if (jobs.length === 0) return ''
  const words = WORDS[language]
  const rows = jobs.map(({ job: { request, state, progress, expires_at }, files }) => [
    `<code>${escaped(request.id)}</code>`,
    `<code>${escaped(request.dataset)}</code>`,
    request.format,
    `${words.states[state]}${state === 'RUNNING' ? progressHtml(progress?.share ?? 0, language) : ''}`,
    moment(request.created_at, language),
    state === 'READY' && expires_at !== null ? moment(expires_at, language) : '—',
    files
      .map(({ name, bytes, url }) => `<a href="${escaped(url)}" download>${escaped(name)}</a> <small>${size(bytes, language)}</small>`)
      .join('<br>') || '—',
  ])
  return `<section aria-labelledby="jobs"><h2 id="jobs">${words.jobs}</h2>${scrollTable(words.jobs, words.jobHeads, rows)}
<p><small>${words.jobsBy} <a href="/docs"><code>/api/export-jobs</code></a></small></p></section>`
}

function progressHtml(share: number, language: Language): string {
  const pct = new Intl.NumberFormat(language, { style: 'percent' }).format(share)
  return `<br><progress max="1" value="${share}" aria-label="${WORDS[language].progress(pct)}"></progress> <small>${pct}</small>`
}

/** Formats a number of bytes in the largest decimal unit. */
function size(bytes: number, language: Language): string {
  const [value, unit] = bytes >= 1e6 ? [bytes / 1e6, 'MB'] : bytes >= 1000 ? [bytes / 1000, 'kB'] : [bytes, 'B']
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value)} ${unit}`
}
