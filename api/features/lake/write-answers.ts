import type { Table, TableState } from '../../../lake/iceberg/table.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type Problem, problem } from '../../kernel/problems.ts'
import { type Answer, type Answerer, type Asked, choiceOf, NO_CONTENT } from './asked.ts'
import type { Catalogue } from './catalogue.ts'
import { noTable } from './errors.ts'
import { OWN, type OwnTables } from './own-tables.ts'
import type { LakeParts } from './parts.ts'
import type { ServedFiles } from './served-files.ts'
import { openWrites, unknownOutcome } from './writes.ts'

/** What answers the requests of lake writers that change tables. Each is logged. */
export function writeAnswers(
  parts: LakeParts & { readonly catalogue: Catalogue; readonly files: ServedFiles; readonly own: OwnTables },
  {
    tableOf,
    loaded,
  }: {
    /** Returns the table of a request, and its dataset. Throws the problem of an unknown one. */
    readonly tableOf: (asked: Asked) => Promise<{ readonly table: Table; readonly dataset: Dataset | null }>
    /** Returns the reply with a table's state, whose path is given. */
    readonly loaded: (state: TableState, asked: Asked, path: string) => Promise<Answer>
  },
): Readonly<Record<'create' | 'commit' | 'drop', Answerer>> {
  const { catalogue, own, log } = parts
  const writes = openWrites({ ...parts, onUntidy: (err) => log.warn({ err }, 'old versions of a table were not removed') })
  /** What a client gets of a change that was made: whatever fails from here on, it must not take it for one that was not. */
  const changed = async (asked: Asked, state: TableState, path: string): Promise<Answer> => {
    const { context, params, request } = asked
    const { updates = [] } = (request.body ?? {}) as { readonly updates?: readonly { readonly action?: unknown }[] }
    const done = { key: context.caller.key?.id, table: `${params.namespace}.${params.table}`, version: state.version }
    if (state.version > 0) log.info({ ...done, updates: updates.map(({ action }) => action) }, 'table written through the catalogue')
    return loaded(state, asked, path).catch((error: unknown) => {
      throw unknownOutcome(error)
    })
  }
  const needsWriter = ({ context }: Asked): void => {
    if (catalogue.writes(context)) return
    const detail = 'Tables are written with a key of the operator: scripts/keys create … --lake-writer makes one.'
    throw problem('plan-required', detail, { extensions: { type: 'ForbiddenException' } })
  }
  return {
    create: async (asked) => {
      needsWriter(asked)
      const { params, request } = asked
      catalogue.tables(asked.context, params.namespace)
      if (params.namespace !== OWN) throw notOwn('made')
      const state = await writes.create(request.body)
      const { name } = request.body as { readonly name: string }
      return changed({ ...asked, params: { ...params, table: name } }, state, `${request.url.split('?', 1)[0]}/${name}`)
    },
    commit: async (asked) => {
      needsWriter(asked)
      const { params, request } = asked
      const made = params.namespace === OWN ? await writes.createByCommit(params.table, request.body) : null
      if (made) return changed(asked, made, request.url)
      const { table, dataset } = await tableOf(asked)
      if (!(await table.load())) throw noTable(params.namespace, params.table, 'There are no data yet in the table')
      return changed(asked, await writes.commit(table, dataset, request.body), request.url)
    },
    drop: async (asked) => {
      needsWriter(asked)
      const { context, params, query } = asked
      if (params.namespace !== OWN) throw notOwn('dropped')
      await own.drop(params.table, isPurged(query))
      log.info({ key: context.caller.key?.id, table: `${OWN}.${params.table}` }, 'table dropped through the catalogue')
      return NO_CONTENT
    },
  }
}

function notOwn(how: string): Problem {
  return problem('invalid-parameter', `Tables can be ${how} in the namespace ${OWN} only; those of datasets belong to the service.`)
}

/** True if a table's files are to go with it. PyIceberg writes True. */
function isPurged(query: URLSearchParams): boolean {
  const asked = new URLSearchParams({ purgeRequested: (query.get('purgeRequested') ?? 'false').toLowerCase() })
  return choiceOf('purgeRequested', asked, ['false', 'true']) === 'true'
}
