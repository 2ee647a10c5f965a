import { isDeepStrictEqual } from 'node:util'
import { shortened } from '../commit.ts'
import { CommitConflict, UpdateRefused } from '../errors.ts'
import { type Snapshot, type SnapshotId, type SnapshotRef, type SpecField, schemaOf, type TableMetadata } from '../metadata.ts'
import type { TableField } from '../types.ts'
import { checkedSchema, type Json, sameType } from './client-schema.ts'

/** Rules for the updates of a table by another writer. */
export interface UpdateRules {
  /** True for a table of a dataset: its declaration, and what was landed in it, stay as they are. */
  readonly isOurs: boolean
  /** True for the location of the table, however the client knows it. */
  isLocation(location: string): boolean
  /** Returns a snapshot in the table's own form, with manifests of ours. Throws `UpdateRefused`, or `CommitConflict`. */
  adopt(snapshot: Json, metadata: TableMetadata): Promise<Snapshot>
}

/** Ids of what the updates of one commit have added last, for those that name it as −1. */
interface Added {
  schema?: number
  spec?: number
  order?: number
}

type Update = (
  metadata: TableMetadata,
  update: Json,
  how: UpdateRules & { readonly added: Added },
) => TableMetadata | Promise<TableMetadata>

const MAIN = 'main'
/** Version of the format of all tables. */
const FORMAT = 2
const MAX_REFS = 100
const MAX_PROPERTIES = 200
const MAX_PROPERTY_CHARACTERS = 2000
const REF_NAME = /^[\w][\w./-]{0,199}$/

/** What each requirement compares with a field of its own ("TableRequirement" of the Iceberg REST specification). */
const REQUIREMENTS: Readonly<Record<string, readonly [field: string, value: (metadata: TableMetadata, requirement: Json) => unknown]>> = {
  'assert-table-uuid': ['uuid', (metadata) => metadata['table-uuid']],
  'assert-ref-snapshot-id': ['snapshot-id', (metadata, { ref }) => headOf(metadata, String(ref))],
  'assert-last-assigned-field-id': ['last-assigned-field-id', (metadata) => metadata['last-column-id']],
  'assert-current-schema-id': ['current-schema-id', (metadata) => metadata['current-schema-id']],
  'assert-last-assigned-partition-id': ['last-assigned-partition-id', (metadata) => metadata['last-partition-id']],
  'assert-default-spec-id': ['default-spec-id', (metadata) => metadata['default-spec-id']],
  'assert-default-sort-order-id': ['default-sort-order-id', (metadata) => metadata['default-sort-order-id']],
}

/** The requirements of a commit, each with the field whose value it states; null for one without. */
export const REQUIREMENT_FIELDS: Readonly<Record<string, string | null>> = Object.freeze({
  'assert-create': null,
  ...Object.fromEntries(Object.entries(REQUIREMENTS).map(([type, [field]]) => [type, field])),
})

/** Throws `CommitConflict` for the first requirement that an existing table does not meet, `UpdateRefused` for an unknown one. */
export function checkRequirements(metadata: TableMetadata, requirements: readonly Json[]): void {
  for (const requirement of requirements) {
    const type = String(requirement['type'])
    if (type === 'assert-create') throw new CommitConflict('requirement assert-create: the table exists already')
    const [field, value] = (Object.hasOwn(REQUIREMENTS, type) && REQUIREMENTS[type]) || []
    if (!field || !value) throw new UpdateRefused(`requirement ${type.slice(0, 60)}`, `there are ${Object.keys(REQUIREMENTS).join(', ')}`)
    const [expected, found] = [String(requirement[field] ?? null), String(value(metadata, requirement))]
    if (expected !== found) throw new CommitConflict(`requirement ${type}: ${field} is ${found}, ${expected.slice(0, 60)} was required`)
  }
}

/** The snapshot of a branch or tag; null if there is none. */
function headOf({ refs = {}, 'current-snapshot-id': current = -1 }: TableMetadata, name: string): SnapshotId | null {
  const known = Object.hasOwn(refs, name) ? refs[name]?.['snapshot-id'] : undefined
  return known ?? (name === MAIN && BigInt(current) !== -1n ? current : null)
}

/**
 * Metadata after updates ("TableUpdate" of the Iceberg REST specification), one after the other. Throws `UpdateRefused` for one
 * that a table must not take, and `CommitConflict` for one that another commit has overtaken.
 */
export async function applyUpdates(base: TableMetadata, updates: readonly Json[], rules: UpdateRules): Promise<TableMetadata> {
  const added: Added = {}
  let metadata = base
  for (const update of updates) {
    const action = String(update['action'])
    const apply = Object.hasOwn(UPDATES, action) ? UPDATES[action] : undefined
    const isOpen = !rules.isOurs || !Object.hasOwn(OF_OURS, action)
    if (!apply || !isOpen)
      throw new UpdateRefused(action.slice(0, 60), (!isOpen && OF_OURS[action]) || 'the catalogue does not have this update')
    metadata = await apply(metadata, update, { ...rules, added })
  }
  return metadata
}

/** Why tables of datasets do not take some updates. */
const OF_OURS: Readonly<Record<string, string>> = {
  'add-spec': 'the dataset declares how its table is partitioned',
  'set-default-spec': 'the dataset declares how its table is partitioned',
  'add-sort-order': 'the dataset declares the order of its rows',
  'set-default-sort-order': 'the dataset declares the order of its rows',
  'remove-snapshots': 'the service expires snapshots itself, since it knows what its queries read',
}

const UPDATES: Readonly<Record<string, Update>> = {
  'assign-uuid': (metadata, { uuid }) => {
    if (uuid !== metadata['table-uuid']) throw new UpdateRefused('assign-uuid', `the table has the uuid ${metadata['table-uuid']}`)
    return metadata
  },
  'upgrade-format-version': (metadata, { 'format-version': version }) => {
    if (version !== FORMAT) throw new UpdateRefused('upgrade-format-version', `tables have version ${FORMAT}, not ${String(version)}`)
    return metadata
  },
  'set-location': (metadata, { location }, { isLocation }) => {
    if (!isLocation(String(location))) throw new UpdateRefused('set-location', 'a table stays where it is')
    return metadata
  },
  'add-schema': (metadata, { schema }, { isOurs, added }) => {
    const { fields, identifiers, highest } = checkedSchema(schema)
    const ours = isOurs ? widened(metadata, fields) : fields
    const own = isOurs ? (schemaOf(metadata)['identifier-field-ids'] ?? []) : identifiers
    const same = metadata.schemas.find(
      (one) => isDeepStrictEqual(one.fields, ours) && isDeepStrictEqual(one['identifier-field-ids'] ?? [], own),
    )
    added.schema = same?.['schema-id'] ?? nextId(metadata.schemas.map((one) => one['schema-id']))
    return {
      ...metadata,
      'last-column-id': Math.max(metadata['last-column-id'], highest),
      schemas: same
        ? metadata.schemas
        : [...metadata.schemas, { type: 'struct', 'schema-id': added.schema, 'identifier-field-ids': own, fields: ours }],
    }
  },
  'set-current-schema': (metadata, { 'schema-id': named }, { isOurs, added }) => {
    const id = named === -1 ? added.schema : named
    const schema = metadata.schemas.find((one) => one['schema-id'] === id)
    if (!schema) throw new UpdateRefused('set-current-schema', `the table has no schema ${String(id)}`)
    if (isOurs && id !== added.schema && id !== metadata['current-schema-id'])
      throw new UpdateRefused('set-current-schema', `schema ${id} is an earlier one: it lacks columns`)
    return { ...metadata, 'current-schema-id': id as number }
  },
  'add-spec': (metadata, { spec }, { added }) => {
    const given = (spec as Json | undefined)?.['fields']
    if (!Array.isArray(given)) throw new UpdateRefused('add-spec', 'spec.fields must be a list')
    const earlier = metadata['partition-specs']
    let last = metadata['last-partition-id']
    const known = earlier.flatMap(({ fields }) => fields)
    const fields = (given as Json[]).map((field): SpecField => {
      const { name, transform, 'source-id': source, 'field-id': stated } = field
      if (typeof name !== 'string' || typeof transform !== 'string' || typeof source !== 'number')
        throw new UpdateRefused('add-spec', 'each field needs name, transform and source-id')
      const same = known.find((one) => one['source-id'] === source && one.transform === transform && one.name === name)
      const id = same?.['field-id'] ?? (typeof stated === 'number' && stated > last ? stated : last + 1)
      last = Math.max(last, id)
      return { 'source-id': source, 'field-id': id, name, transform }
    })
    const same = earlier.find((one) => isDeepStrictEqual(one.fields, fields))
    added.spec = same?.['spec-id'] ?? nextId(earlier.map((one) => one['spec-id']))
    const specs = same ? earlier : [...earlier, { 'spec-id': added.spec, fields }]
    return { ...metadata, 'partition-specs': specs, 'last-partition-id': last }
  },
  'set-default-spec': (metadata, { 'spec-id': named }, { added }) => {
    const id = named === -1 ? added.spec : named
    if (!metadata['partition-specs'].some((one) => one['spec-id'] === id))
      throw new UpdateRefused('set-default-spec', `the table has no partition spec ${String(id)}`)
    return { ...metadata, 'default-spec-id': id as number }
  },
  'add-sort-order': (metadata, { 'sort-order': order }, { added }) => {
    const fields = (order as Json | undefined)?.['fields']
    if (!Array.isArray(fields)) throw new UpdateRefused('add-sort-order', 'sort-order.fields must be a list')
    const orders = metadata['sort-orders']
    const same = orders.find((one) => isDeepStrictEqual(one.fields, fields))
    // Order 0 is "unsorted" in every table (spec, "Sorting").
    added.order = same?.['order-id'] ?? (fields.length === 0 ? 0 : nextId([0, ...orders.map((one) => one['order-id'])]))
    return { ...metadata, 'sort-orders': same ? orders : [...orders, { 'order-id': added.order, fields }] }
  },
  'set-default-sort-order': (metadata, { 'sort-order-id': named }, { added }) => {
    const id = named === -1 ? added.order : named
    if (!metadata['sort-orders'].some((one) => one['order-id'] === id))
      throw new UpdateRefused('set-default-sort-order', `the table has no sort order ${String(id)}`)
    return { ...metadata, 'default-sort-order-id': id as number }
  },
  'set-properties': (metadata, { updates }, { isOurs }) => {
    const set = Object.entries((updates ?? {}) as Json)
    for (const [name, value] of set) {
      checkProperty('set-properties', name, isOurs)
      if (typeof value !== 'string' || name.length + value.length > MAX_PROPERTY_CHARACTERS)
        throw new UpdateRefused('set-properties', `${name.slice(0, 60)} needs a text of at most ${MAX_PROPERTY_CHARACTERS} characters`)
    }
    const properties = { ...metadata.properties, ...(Object.fromEntries(set) as Record<string, string>) }
    if (set.length > MAX_PROPERTIES) throw new UpdateRefused('set-properties', `at most ${MAX_PROPERTIES} properties at once`)
    return { ...metadata, properties }
  },
  'remove-properties': (metadata, { removals }, { isOurs }) => {
    const names = Array.isArray(removals) ? removals.map(String) : []
    for (const name of names) checkProperty('remove-properties', name, isOurs)
    return { ...metadata, properties: Object.fromEntries(Object.entries(metadata.properties).filter(([name]) => !names.includes(name))) }
  },
  'add-snapshot': async (metadata, { snapshot }, { adopt }) => {
    const adopted = await adopt((snapshot ?? {}) as Json, metadata)
    return {
      ...metadata,
      'last-sequence-number': adopted['sequence-number'],
      'last-updated-ms': adopted['timestamp-ms'],
      snapshots: [...metadata.snapshots.slice(0, -1), ...metadata.snapshots.slice(-1).map(shortened), adopted],
    }
  },
  'set-snapshot-ref': (metadata, update, { isOurs }) => withRef(metadata, update, isOurs),
  'remove-snapshot-ref': (metadata, { 'ref-name': name }, { isOurs }) => {
    if (isOurs && name === MAIN) throw new UpdateRefused('remove-snapshot-ref', 'main has the rows of the table')
    const { [String(name)]: _, ...refs } = metadata.refs ?? {}
    const { 'current-snapshot-id': current, ...rest } = metadata
    return { ...rest, refs, ...(name === MAIN || current === undefined ? {} : { 'current-snapshot-id': current }) }
  },
  'remove-snapshots': (metadata, { 'snapshot-ids': ids }) => {
    const gone = new Set((Array.isArray(ids) ? ids : []).map(String))
    const named = Object.entries(metadata.refs ?? {}).find(([, ref]) => gone.has(String(ref['snapshot-id'])))
    if (named) throw new UpdateRefused('remove-snapshots', `${named[0]} names snapshot ${named[1]['snapshot-id']}`)
    const isKept = (one: { readonly 'snapshot-id': SnapshotId }): boolean => !gone.has(String(one['snapshot-id']))
    return { ...metadata, snapshots: metadata.snapshots.filter(isKept), 'snapshot-log': metadata['snapshot-log'].filter(isKept) }
  },
}

/** The updates that commits may have. */
export const UPDATE_ACTIONS: readonly string[] = Object.freeze(Object.keys(UPDATES))

const nextId = (ids: readonly number[]): number => Math.max(-1, ...ids) + 1

const ONLY_ADDED = 'columns can only be added, as nullable ones; the operator removes an added one with scripts/lake drop-column'

/** The fields of a dataset's table with those that a schema adds. Throws `UpdateRefused` for one that changes others. */
function widened(metadata: TableMetadata, given: readonly TableField[]): readonly TableField[] {
  const { fields } = schemaOf(metadata)
  const refuse = (why: string): UpdateRefused => new UpdateRefused('add-schema', why)
  for (const { id, name, type, required } of fields) {
    const now = given.find((field) => field.id === id)
    if (!now) throw refuse(`column ${name} would be gone: ${ONLY_ADDED}`)
    if (now.name !== name || now.required !== required || !sameType(now.type, type))
      throw refuse(`column ${name} would change: ${ONLY_ADDED}`)
  }
  const more = given.filter(({ id }) => !fields.some((field) => field.id === id))
  for (const { id, name, required } of more) {
    if (required) throw refuse(`column ${name} is required: rows of the service have no value for it`)
    if (id <= metadata['last-column-id'])
      throw new CommitConflict(`add-schema: column ${name} has the id ${id}, the last one is ${metadata['last-column-id']}`)
  }
  return more.length === 0 ? fields : [...fields, ...more]
}

/** Properties that other writers may set in tables of datasets; all others are the service's. */
const OPEN_PROPERTIES = /^(write|commit|own)\./
/** Properties that would put files elsewhere, or in another format. */
const PLACES = /^(write\.(data|metadata|folder-storage)\.path|write\.(object-storage|location-provider)\..*|write\.format\.default)$/

function checkProperty(update: string, name: string, isOurs: boolean): void {
  if (isOurs && !OPEN_PROPERTIES.test(name))
    throw new UpdateRefused(update, `${name.slice(0, 60)} belongs to the service: others may set write.…, commit.… and own.…`)
  if (PLACES.test(name)) throw new UpdateRefused(update, `${name} would put files elsewhere, or in another format`)
}

const RETENTION = ['min-snapshots-to-keep', 'max-snapshot-age-ms', 'max-ref-age-ms'] as const

/** Metadata with a branch or tag at a snapshot. In a table of ours main moves to descendants only. */
function withRef(metadata: TableMetadata, update: Json, isOurs: boolean): TableMetadata {
  const refuse = (why: string): UpdateRefused => new UpdateRefused('set-snapshot-ref', why)
  const { 'ref-name': given, type } = update
  const name = String(given)
  const snapshot = metadata.snapshots.find((one) => String(one['snapshot-id']) === String(update['snapshot-id']))
  const { refs = {} } = metadata
  if (!REF_NAME.test(name)) throw refuse(`${name.slice(0, 60)} is no name of a branch or tag`)
  if (!snapshot) throw new CommitConflict(`set-snapshot-ref: there is no snapshot ${String(update['snapshot-id'])}`)
  if ((type !== 'branch' && type !== 'tag') || (name === MAIN && type === 'tag')) throw refuse(`${name} cannot be a ${String(type)}`)
  if (!Object.hasOwn(refs, name) && Object.keys(refs).length >= MAX_REFS) throw refuse(`a table has at most ${MAX_REFS} branches and tags`)
  const id = snapshot['snapshot-id']
  const retention = RETENTION.flatMap((field): [string, number][] => {
    const value = update[field]
    // Java's writers have the largest long for "for ever".
    if (typeof value === 'bigint') return [[field, Number.MAX_SAFE_INTEGER]]
    return typeof value === 'number' && value > 0 ? [[field, value]] : []
  })
  const ref: SnapshotRef = { ...Object.fromEntries(retention), 'snapshot-id': id, type }
  if (name !== MAIN) return { ...metadata, refs: { ...refs, [name]: ref } }
  const head = headOf(metadata, MAIN)
  if (isOurs && head !== null && !descends(metadata, snapshot, head))
    throw refuse(`snapshot ${id} does not continue ${head}: a table of the service is not set back`)
  return {
    ...metadata,
    'current-snapshot-id': id,
    // How long states of main stay readable is the service's to decide.
    refs: { ...refs, [MAIN]: isOurs ? { ...refs[MAIN], 'snapshot-id': id, type } : ref },
    'snapshot-log':
      head === id
        ? metadata['snapshot-log']
        : [
            ...metadata['snapshot-log'],
            { 'timestamp-ms': Math.max(snapshot['timestamp-ms'], metadata['last-updated-ms']), 'snapshot-id': id },
          ],
  }
}

/** True if a snapshot is another one or comes after it on its line of descent. */
function descends({ snapshots }: TableMetadata, snapshot: Snapshot, from: SnapshotId): boolean {
  const byId = new Map(snapshots.map((one) => [String(one['snapshot-id']), one]))
  let at: Snapshot | undefined = snapshot
  while (at && String(at['snapshot-id']) !== String(from)) at = byId.get(String(at['parent-snapshot-id']))
  return at !== undefined
}
