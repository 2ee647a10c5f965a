import type { FastifyBaseLogger } from 'fastify'
import type { Lake } from '../../../lake/open.ts'
import type { ReaderAccess } from '../../../lake/store/reader-access.ts'
import type { ContextParts } from '../../auth/request-context.ts'
import type { PathGroups } from '../../auth/usage/path-groups.ts'
import type { RequestLog } from '../../auth/usage/request-log.ts'
import type { Cursors } from '../../engine/request/cursor.ts'
import type { ServiceState } from '../../engine/state/state.ts'

/** What the feature works with. */
export interface LakeParts extends ContextParts {
  readonly lake: Lake
  readonly state: ServiceState
  /** How clients read the bucket of the lake themselves; null if it is in a folder. */
  readonly bucket: ReaderAccess | null
  readonly cursors: Cursors
  readonly requests: RequestLog
  readonly groups: PathGroups
  readonly baseUrl: () => string
  readonly clock: () => number
  readonly log: Pick<FastifyBaseLogger, 'error' | 'info' | 'warn'>
}
