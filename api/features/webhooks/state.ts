import { createHash, randomUUID } from 'node:crypto'
import type { ObjectStore } from '../../../lake/store/store.ts'
import type { DisabledReason } from '../../auth/mail/webhook-mail.ts'
import type { Attempt } from './send.ts'

/** State of a delivery. */
export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'RETRYING', 'FAILED'] as const
/** State of a subscription. */
export const WEBHOOK_STATES = ['ENABLED', 'FAILING', 'DISABLED'] as const

/** A delivery of a subscription; only the newest are kept. Times are ms since the epoch. */
export interface Delivery {
  readonly id: string
  readonly event_id: string
  readonly type: string
  /** Position in the log of events; null for a test. */
  readonly offset: string | null
  status: (typeof DELIVERY_STATES)[number]
  readonly created_at: number
  attempts: number
  last: Attempt | null
  next_at: number | null
}

/** An event that waits for its delivery. */
export interface Waiting {
  /** Position in the log of events; null for a test, whose body is here. */
  readonly offset: string | null
  readonly body?: string
  readonly id: string
  readonly type: string
  readonly thing: string
  attempts: number
  next_at: number
}

/** Past events to be sent again: batches after `after` up to `until`, with times from `from` to `to`. */
interface Replay {
  readonly after: number
  readonly until: number
  readonly from: number
  readonly to: number
  /** As `taken` of the state, for the batch after `after`. */
  readonly taken?: number
}

/** The progress of a subscription: written by the process that delivers, read by the API. */
export interface WebhookState {
  /** Batch of the log up to which every matching event is settled or waits here. */
  readonly scanned: number
  /** Events of the next batch that were matched before there was no more room; absent in states of earlier versions. */
  readonly taken?: number
  /** `changed_after` of the subscription as it was matched. */
  readonly changed_after?: number
  /** True while it is behind the log, so that only `scanned` counts. */
  readonly isBehind: boolean
  readonly waiting: readonly Waiting[]
  readonly replay: Replay | null
  readonly failing_since: number | null
  /** Days of failure that a mail was sent about. */
  readonly mailed_days: number
  readonly disabled_at: number | null
  readonly disabled_reason: DisabledReason | null
  /** Newest first. */
  readonly deliveries: readonly Delivery[]
}

/** Most deliveries that are kept of a subscription. */
export const DELIVERIES_KEPT = 100
const STATES = 'webhooks/state/'
const CHECKPOINT = 'webhooks/checkpoint.json'
const COMMANDS = 'webhooks/commands/'

/** Returns the id of an event's delivery to a subscription: the same if a crash repeats it. */
export function deliveryId(subscription: string, event: string): string {
  return `dlv_${createHash('sha256').update(`${subscription} ${event}`).digest('hex').slice(0, 20)}`
}

/** Reads the progress of a subscription; null before its first delivery. */
export async function readWebhookState(store: ObjectStore, id: string): Promise<WebhookState | null> {
  const bytes = await store.get(`${STATES}${id}.json`)
  return bytes && (JSON.parse(bytes.toString()) as WebhookState)
}

/** Writes the progress of a subscription. */
export async function writeWebhookState(store: ObjectStore, id: string, state: WebhookState): Promise<void> {
  await store.put(`${STATES}${id}.json`, Buffer.from(JSON.stringify(state)))
}

/** Deletes the progress of a subscription. */
export async function deleteWebhookState(store: ObjectStore, id: string): Promise<void> {
  await store.delete(`${STATES}${id}.json`)
}

/** The progress of all subscriptions that are not behind. */
export interface Checkpoint {
  /** Batch that every subscription that is not behind has been matched with. */
  readonly position: number
  readonly at: number
}

/** Reads the checkpoint; null before the first. */
export async function readCheckpoint(store: ObjectStore): Promise<Checkpoint | null> {
  const bytes = await store.get(CHECKPOINT)
  return bytes && (JSON.parse(bytes.toString()) as Checkpoint)
}

/** Writes the checkpoint. */
export async function writeCheckpoint(store: ObjectStore, checkpoint: Checkpoint): Promise<void> {
  await store.put(CHECKPOINT, Buffer.from(JSON.stringify(checkpoint)))
}

/** An action that the owner requests from the delivering process. */
export type Command = { readonly subscription: string } & (
  | { readonly kind: 'test'; readonly event_id: string; readonly body: string }
  | { readonly kind: 'redeliver'; readonly delivery: string }
  | { readonly kind: 'replay'; readonly from: number; readonly to: number }
)

/** Stores a command; it is durable and carried out at least once. */
export async function leaveCommand(store: ObjectStore, command: Command, now: number): Promise<void> {
  await store.put(`${COMMANDS}${String(now).padStart(15, '0')}-${randomUUID()}.json`, Buffer.from(JSON.stringify(command)))
}

/** Returns the stored commands, oldest first. */
export async function commandsLeft(store: ObjectStore): Promise<{ readonly key: string; readonly command: Command }[]> {
  const found: { key: string; command: Command }[] = []
  for await (const { key } of store.list(COMMANDS)) {
    const bytes = await store.get(key)
    if (bytes) found.push({ key, command: JSON.parse(bytes.toString()) as Command })
  }
  return found
}
