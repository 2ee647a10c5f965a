import type { Events } from '../../../lake/events/open.ts'
import type { Access } from '../../auth/access.ts'
import type { PathGroups } from '../../auth/usage/path-groups.ts'
import type { RequestLog } from '../../auth/usage/request-log.ts'
import type { Feature } from '../../engine/feature.ts'
import { registerStream, STREAM_DOMAIN, STREAM_PATH, type StreamParts } from './routes.ts'
import { streamPaths } from './stream-openapi.ts'

/** What the feature works with. */
interface Parts extends Omit<StreamParts, 'keys' | 'placeAt' | 'count' | 'countReply'> {
  readonly access: Pick<Access, 'keys'>
  readonly events: Events
  readonly requests: RequestLog
  readonly groups: PathGroups
}

/** Events as they happen, by server-sent events. */
export const streamFeature: Feature<Parts> = {
  id: 'stream',
  register: (app, parts) =>
    registerStream(app, {
      ...parts,
      keys: parts.access.keys,
      placeAt: async (instant) => ({ batch: (await parts.events.log.before(instant)) + 1, number: 0 }),
      count: parts.requests.usageOf(STREAM_PATH),
      countReply: parts.groups.ofPath(STREAM_DOMAIN, STREAM_PATH),
    }),
  describe: () => ({ paths: streamPaths() }),
}
