import type { Lake } from '../../../lake/open.ts'
import type { ProvinceGap } from '../../../lake/places/gaps.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import type { ListReturn, ReadOf } from '../../kernel/endpoint.ts'
import { isTable } from '../../kernel/formats.ts'
import { problem } from '../../kernel/problems.ts'
import { predicateOf } from '../../kernel/reads/filter.ts'
import { absentState } from './absent-data.ts'
import { logOf } from './change-log.ts'
import { metaOf } from './compose.ts'
import { gapOf, placeMetaOf } from './coverage.ts'
import { currentStates, refreshOf } from './current-states.ts'
import { listBody, recordTexts } from './records.ts'
import { type AnswerContext, type Handler, headOf, nextLinks, type ResponseBody } from './response-plan.ts'

/** Lifetime of a cursor of changes, in hours. */
const CURSOR_HOURS = 7 * 24
/** Most log entries that one request may scan, even if it asks for few. */
const MAX_SCAN = 20_000
const SCAN_PAGE = 1000

/**
 * Answers the changes since a cursor. `next_cursor` is always present, for the next poll. `reset` is true if the log no longer
 * reaches back to the cursor: the caller reloads the list and continues from `next_cursor`.
 */
export function changesHandler(context: AnswerContext, read: ReadOf<'changes'>, lake: Lake): Handler {
  const { endpoint, state, cursors } = context
  const returns = endpoint.returns as ListReturn
  const texts = recordTexts(returns)
  const gap = (): ProvinceGap | null => gapOf(endpoint, state.system().feeds)

  return async (values, { format, now }) => {
    const { page } = values
    const { since } = page
    if (since !== null && page.cursor !== null) {
      const detail = 'since cannot be combined with cursor; allowed: one of them'
      throw problem('invalid-parameter', detail, { errors: [{ parameter: 'since', detail }] })
    }
    const bind = `${endpoint.path} ${values.filterKey}`
    const { states, primary, ...versions } = currentStates(state, read.from)
    if (!primary) throw await absentState(read.from[0] as Dataset, { state, lake })
    const begin = page.cursor === null ? startOf(since) : (cursors.open(page.cursor, { bind, now }) as string)
    const head = headOf(context, values, {
      format,
      now,
      versions,
      data_time: primary.updated_at,
      refresh: refreshOf(state, read.from, primary),
    })

    const answer = async (signal: AbortSignal): Promise<ResponseBody> => {
      const log = logOf(state, read.from[0] as Dataset, primary.version)
      const limit = page.limit ?? returns.limit.max
      const records: AnyRow[] = []
      let next = begin
      let more = true
      let reset = false
      const isAsked = predicateOf<AnyRow>(endpoint.filters, values.own, now)
      for (let scanned = 0; more && records.length < limit && scanned < Math.max(MAX_SCAN, limit); ) {
        const part = await log.page(next, SCAN_PAGE)
        if (part.reset) {
          reset = true
          more = false
          next = String(primary.version)
          records.length = 0
          break
        }
        next = part.next
        more = part.more
        scanned += part.entries.length
        for (const [at, change] of part.entries.entries()) {
          const thing = read.thing(change, states)
          if (!isAsked || isAsked(thing)) records.push(read.entry(thing, change))
          if (records.length < limit) continue
          more = part.more || at < part.entries.length - 1
          if (more) next = change.cursor
          break
        }
      }
      const next_cursor = cursors.seal(next, { bind, now, hours: CURSOR_HOURS })
      const list = {
        name: returns.name,
        total: null,
        updated_at: primary.updated_at,
        next_cursor,
        extra: { reset, more },
        meta: metaOf(state, read.from, {
          ...(endpoint.statistic ? { figure: endpoint.statistic } : {}),
          ...placeMetaOf(gap(), values.own),
        }),
      }
      if (!isTable(format)) {
        const links = nextLinks(values.path, values.query, next_cursor)
        return { pieces: await listBody(list, records, { texts, page, format }), links, next_cursor }
      }
      // Tables have no place for them, and no client may miss a reset.
      const links = nextLinks(values.path, values.query, next_cursor).map((link) => `${link}; reset="${reset}"; more="${more}"`)
      const ask = { record: returns.record, page, format, signal }
      return { pieces: [], file: await context.tables.write(ask, [records], { meta: list.meta, about: () => list }), links, next_cursor }
    }
    return { head, answer, isFromMemory: true }
  }
}

/** Returns where the log starts: at the publications from `since` on; null for its beginning. */
function startOf(since: number | null): string | null {
  return since === null ? null : `@${Math.max(0, Math.ceil(since))}`
}
