import type { DisabledReason } from '../../auth/mail/webhook-mail.ts'
import type { Delivery, WEBHOOK_STATES, WebhookState } from './state.ts'
import type { Subscription } from './subscriptions.ts'

const iso = (time: number | null | undefined): string | null => (time === null || time === undefined ? null : new Date(time).toISOString())

/** A webhook as replies show it. */
export interface ShownWebhook extends Pick<Subscription, 'id' | 'url' | 'description' | 'filter'> {
  readonly status: (typeof WEBHOOK_STATES)[number]
  readonly disabled_reason: DisabledReason | 'by-owner' | null
  readonly disabled_at: string | null
  readonly failing_since: string | null
  readonly waiting: number
  readonly secret_rotated_at: string | null
  readonly created_at: string | null
}

/** Returns why a webhook is disabled; null if it is not. */
export function disabledReason({ enabled, enabled_at }: Subscription, state: WebhookState | null): ShownWebhook['disabled_reason'] {
  if (!enabled) return 'by-owner'
  return state?.disabled_at != null && state.disabled_at >= enabled_at ? state.disabled_reason : null
}

/** Returns a subscription as its owner sees it; secrets are shown once, elsewhere. */
export function shownWebhook(subscription: Subscription, state: WebhookState | null): ShownWebhook {
  const { id, url, description, filter, created_at, enabled_at, secrets } = subscription
  const disabledByUs = state?.disabled_at != null && state.disabled_at >= enabled_at
  const reason = disabledReason(subscription, state)
  const failing = state?.failing_since ?? null
  return {
    ...{ id, url, description },
    // A member that is null in the request does not filter.
    filter: Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null)),
    status: reason !== null ? 'DISABLED' : failing === null ? 'ENABLED' : 'FAILING',
    disabled_reason: reason,
    disabled_at: iso(disabledByUs ? state.disabled_at : null),
    failing_since: iso(failing),
    waiting: state?.waiting.length ?? 0,
    secret_rotated_at: iso(Math.max(...secrets.map((one) => one.created_at))),
    created_at: iso(created_at),
  }
}

/** Returns a delivery as its owner sees it. */
export function shownDelivery({ id, event_id, type, status, created_at, attempts, last, next_at }: Delivery): Record<string, unknown> {
  return {
    ...{ id, event_id, type, status, attempts },
    created_at: iso(created_at),
    next_attempt_at: iso(next_at),
    last_attempt: last && { at: iso(last.at), status: last.status, duration_ms: last.ms, error: last.error },
  }
}
