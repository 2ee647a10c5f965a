import type { Language } from '../../kernel/language.ts'

/** Why the service disabled a subscription. */
export type DisabledReason = 'gone' | 'failing' | 'plan-changed' | 'filter-invalid'

/** The trouble of a webhook: it has failed for so many days, or was disabled. */
export interface WebhookTrouble {
  readonly id: string
  readonly url: string
  readonly days?: number
  readonly disabled?: DisabledReason
}

const REASONS = {
  gone: { es: 'El receptor respondió 410 (ya no existe).', en: 'The receiver answered 410 (gone).' },
  failing: { es: 'Ninguna entrega ha llegado en cinco días.', en: 'No delivery has arrived for five days.' },
  'plan-changed': {
    es: 'La cuenta ya no tiene una clave del plan ENTERPRISE.',
    en: 'The account no longer has a key of the plan ENTERPRISE.',
  },
  'filter-invalid': {
    es: 'El filtro contiene un valor que ya no existe. Envíe uno nuevo con la misma petición que lo activa.',
    en: 'The filter has a value that no longer exists. Send a new one with the request that enables it.',
  },
} as const satisfies Record<DisabledReason, Record<Language, string>>

/** Returns the mail about a webhook that fails or was disabled. */
export function webhookMail(
  language: Language,
  { id, url, days = 0, disabled }: WebhookTrouble,
): { readonly subject: string; readonly text: string } {
  const es = language === 'es'
  if (disabled)
    return {
      subject: es ? `Webhook ${id} desactivado` : `Webhook ${id} disabled`,
      text: [
        es ? `El webhook ${id} (${url}) se ha desactivado.` : `The webhook ${id} (${url}) was disabled.`,
        REASONS[disabled][es ? 'es' : 'en'],
        es
          ? `Para activarlo de nuevo: PATCH /api/webhooks/${id} con {"enabled": true}. Los eventos de los últimos siete días se pueden pedir con POST /api/webhooks/${id}/replay.`
          : `To enable it again: PATCH /api/webhooks/${id} with {"enabled": true}. Events of the last seven days can be requested with POST /api/webhooks/${id}/replay.`,
      ].join('\n\n'),
    }
  const since = es ? (days === 1 ? 'un día' : `${days} días`) : days === 1 ? 'one day' : `${days} days`
  return {
    subject: es ? `Webhook ${id} sin entregas desde hace ${since}` : `Webhook ${id} failing for ${since}`,
    text: [
      es
        ? `Ninguna entrega al webhook ${id} (${url}) ha llegado desde hace ${since}.`
        : `No delivery to the webhook ${id} (${url}) has arrived for ${since}.`,
      es ? 'Después de cinco días se desactivará.' : 'After five days it will be disabled.',
      es ? `Los intentos se ven en GET /api/webhooks/${id}/deliveries.` : `The attempts are listed at GET /api/webhooks/${id}/deliveries.`,
    ].join('\n\n'),
  }
}
