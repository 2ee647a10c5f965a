import { accountScope, ownPagesOnly } from '../../auth/account-scope.ts'
import { WEBHOOK_LIMIT } from '../../auth/address-limit.ts'
import type { Feature } from '../../engine/feature.ts'
import { registerWebhooks, type WebhookParts } from './routes.ts'
import { eventWebhooks, webhookPaths, webhookSchemas } from './webhooks-openapi.ts'

/** URLs of customers that events are sent to. */
export const webhooksFeature: Feature<WebhookParts> = {
  id: 'webhooks',
  register: (app, parts) =>
    accountScope(app, parts, WEBHOOK_LIMIT, (scope) => ownPagesOnly(scope, parts, (own) => registerWebhooks(own, parts))),
  describe: () => ({ paths: webhookPaths(), schemas: webhookSchemas(), webhooks: eventWebhooks() }),
}
