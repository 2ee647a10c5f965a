import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { ListReturn } from '../../kernel/endpoint.ts'
import type { RecordShape } from '../../kernel/fields.ts'
import { type Format, isTable } from '../../kernel/formats.ts'
import type { Page, PageAsk } from '../../kernel/page.ts'
import { DISTANCE } from '../../kernel/params/around.ts'
import type { JsonObject } from '../../kernel/reads/shape.ts'
import { orderOf, positionOf, readPosition } from '../request/paging.ts'
import type { RequestValues } from '../request/request.ts'
import type { Meta } from './compose.ts'
import { listBody, type RecordTexts } from './records.ts'
import { type AnswerContext, nextLinks, type ResponseBody } from './response-plan.ts'

const CURSOR_HOURS = 24

/** The page that a request asks for, and what its cursors are bound to. */
interface AskedPage extends PageAsk {
  readonly bind: string
}

/** Returns the page that a request asks for. `pagedState` is the state that all pages must share, see `SystemRead.pagedState`. */
export function askedPage(
  { endpoint, cursors }: AnswerContext,
  { page, filterKey }: RequestValues,
  { now, pagedState = null }: { readonly now: number; readonly pagedState?: string | null },
): AskedPage {
  const bind = `${endpoint.path} ${filterKey}${pagedState === null ? '' : ` ${pagedState}`}`
  const after = page.cursor === null ? null : readPosition(cursors.open(page.cursor, { bind, now }))
  return { order: orderOf(endpoint.returns as ListReturn, page.sort), after, limit: page.limit, bind }
}

/** What the body of records is made with. */
interface BodyParts {
  readonly texts: RecordTexts
  /** The shape of the records in the reply. */
  readonly shape: RecordShape
  readonly format: Format
  readonly meta: Meta
  readonly signal: AbortSignal
}

/** Makes the reply of one page of records, in any representation. */
export async function pageBody(
  context: AnswerContext,
  values: RequestValues,
  parts: BodyParts & {
    readonly asked: AskedPage
    readonly found: Page<AnyRow>
    /** Makes the records of the page from drafts, if it contains drafts. */
    readonly finish?: ((draft: never) => AnyRow) | undefined
    /** Members beside the list, see `ListReturn.counts`. */
    readonly counts?: JsonObject
    readonly now: number
    readonly updated_at: number
  },
): Promise<ResponseBody> {
  const { texts, shape, asked, found, finish, counts = {}, format, now, updated_at, meta, signal } = parts
  const { endpoint, cursors } = context
  const { page } = values
  const returns = endpoint.returns as ListReturn
  const { records: shown, total, hasMore } = found
  const { order, bind } = asked
  const next_cursor = hasMore ? cursors.seal(positionOf(order, shown.at(-1) as AnyRow), { bind, now, hours: CURSOR_HOURS }) : null
  const records = finish ? shown.map((draft) => finished(draft, finish)) : shown
  const list = { name: returns.name, total, updated_at, next_cursor, extra: counts, meta }
  const links = next_cursor === null ? [] : nextLinks(values.path, values.query, next_cursor)
  if (!isTable(format)) return { pieces: await listBody(list, records, { texts, page, format }), links, next_cursor }
  const ask = { record: shape, page, format, signal }
  return { pieces: [], file: await context.tables.write(ask, [records], { meta, about: () => list }), links, next_cursor }
}

/** Returns the record of a draft, with the draft's distance if it was measured. */
function finished(draft: AnyRow, finish: (draft: never) => AnyRow): AnyRow {
  const made = finish(draft as never)
  return DISTANCE in draft ? Object.assign(made, { [DISTANCE]: draft[DISTANCE] }) : made
}

/** Returns the records that match `ids` and `updated_since`. */
export function chosen(records: readonly AnyRow[], context: AnswerContext, { page }: RequestValues): readonly AnyRow[] {
  const { id } = context.endpoint.returns as ListReturn
  const ids = page.ids && new Set(page.ids)
  const since = page.updated_since
  if (!ids && since === null) return records
  return records.filter(
    (record) => (!ids || ids.has(record[id as string] as string)) && (since === null || (record['updated_at'] as number) >= since),
  )
}

/** Makes the body of one record's reply; as a table it is one row. */
export async function oneBody(
  context: AnswerContext,
  values: RequestValues,
  parts: BodyParts & { readonly record: AnyRow },
): Promise<ResponseBody> {
  const { texts, shape, record, format, meta, signal } = parts
  const { page } = values
  if (isTable(format)) {
    const ask = { record: shape, page, format, signal }
    return {
      pieces: [],
      file: await context.tables.write(ask, [[record]], { meta, about: () => ({ meta }) }),
      links: [],
      next_cursor: null,
    }
  }
  const shown = format === 'geojson' ? texts.feature(record, page) : texts.object(record, page)
  return { pieces: [JSON.stringify({ ...shown, meta })], links: [], next_cursor: null }
}
