import { vmsDevices, vmsMessages } from '../../../lake/datasets/road/vms.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Json } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { partitionStart } from '../../../lake/schema/partitions.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { parseInstant } from '../../../lake/schema/time.ts'
import { defineEndpoint, keyedList, listReturn, type State, type StatesOf } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field, joined, maybe, nested, pick, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, placeFilter, roadFilter } from '../../kernel/filters.ts'
import { booleanParam, required, textParam } from '../../kernel/params/params.ts'
import { periodParams } from '../../kernel/params/params-time.ts'
import { changedMembers } from '../../kernel/reads/changed.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { ABOUT_CHANGES, CHANGES_PAGE, changedBy, changeFields, changesReturn } from '../changes.ts'
import { originFields, placeFields } from '../common-fields.ts'

const { columns } = vmsMessages
const device = vmsDevices.columns

const pageFields = {
  set_at: maybe.instant('When the publisher last set the page; null if it states nothing.', '2026-09-02T22:48:10.000Z'),
  lines: field.list('Lines of text as shown, without the blanks that centre them.', field.text('A line.'), [
    'VELOCIDAD',
    'CONTROLADA',
    'POR RADAR',
  ]),
  is_flashing: field.boolean('True if the text flashes.', false),
  speed_limit_kmh: maybe.integer('Speed limit that a pictogram of the page shows; null if none does.', 'km/h', 100),
  pictograms: nested.objects('Pictograms; an area that shows nothing is absent.', {
    area: field.integer('Area of the panel: 1 and 3 are to the left and right of the text, which is in area 2.', '1', 1),
    code: field.text("The publisher's code of the pictogram.", 'R301100I'),
    is_flashing: field.boolean('True if it flashes.', false),
    image_url: maybe.text(
      "Its image on the publisher's server; null if none is stated.",
      'https://etraffic.dgt.es/estaticosEtraffic/Iconografia/pictogramas/R301100I.png',
    ),
  }),
} as const

/** The display of a panel, now or in a former state. */
const displayFields = {
  ...pick(columns, 'display', 'text', 'speed_limit_kmh'),
  pages: nested.maybeObjects(
    'Pages in the order in which they rotate; empty if no message is set, null if the display is unknown.',
    pageFields,
  ),
  shown_since: columns.shown_since,
} as const

type Display = ValueOf<typeof displayFields>

/** A panel with what it shows. */
const panel = record('Panel', 'A variable-message panel and its display.', {
  id: device.panel_id,
  ...pick(device, 'road', 'km', 'direction', 'destination'),
  ...placeFields(device),
  position: device.position,
  has_message: field.boolean('True if it shows text or pictograms.', true),
  ...displayFields,
  is_in_catalogue: field.boolean('False if only the messages name it: then its place is unknown.', true),
  ...originFields(columns, { source_id: device.panel_id }),
})

type Panel = ValueOf<typeof panel.fields>

/** Source datasets of panels. The messages set the age of replies. */
const PANEL_DATASETS = [vmsMessages, vmsDevices] as const

/** The panel id as a path parameter. */
const panelId = required(textParam("The publisher's id of the panel.", { max: 40, example: '61441' }))

/** Filters of panels, in lists and in the change feed. */
const panelFilters = [
  roadFilter,
  placeFilter,
  columnFilter('has_message', booleanParam('Only panels that show text or pictograms, or only those that do not.'), 'has_message'),
] as const

/** A row of messages: live, from a change, or from its table. */
type MessageRow = StateRow<typeof vmsMessages> & { readonly is_stale?: boolean }
type LiveDevice = State<typeof vmsDevices>['rows'][number]

const NOT_KNOWN: Display = Object.freeze({ display: 'UNKNOWN', text: null, speed_limit_kmh: null, pages: null, shown_since: null })

const isUnconfirmed = ({ status, is_stale }: Pick<MessageRow, 'status' | 'is_stale'>): boolean => status !== 'ACTIVE' || is_stale === true

/** The display of a message row; unknown if the newest publication lacks the panel. */
function displayOf(row: MessageRow | null): Display {
  if (!row || isUnconfirmed(row)) return NOT_KNOWN
  const { display, text, speed_limit_kmh, shown_since } = row
  return { display, text, speed_limit_kmh, pages: pagesOf(row.pages), shown_since }
}

/** Parses the pages of a row: JSON with ISO 8601 instants. */
function pagesOf(pages: Json): Display['pages'] {
  return (pages as unknown as readonly (ValueOf<typeof pageFields> & { readonly set_at: string | null })[]).map((page) => ({
    ...page,
    set_at: page.set_at === null ? null : parseInstant(page.set_at),
  }))
}

const keyOf = ({ source, panel_id }: { readonly source: string; readonly panel_id: string }): string => `${source}/${panel_id}`

const devicesOf = memo(
  (state: State<typeof vmsDevices>): ReadonlyMap<string, LiveDevice> => new Map(state.rows.map((row) => [keyOf(row), row])),
)

/** The panels of the catalogue with their messages, and those that only have messages. */
export const panelsOf: (states: StatesOf<typeof PANEL_DATASETS>) => readonly Panel[] = memo(
  ([messages, devices]) => {
    const catalogue = devicesOf(devices)
    const shown = new Map(messages.rows.map((row) => [keyOf(row), row]))
    const listed = [...catalogue].map(([key, found]) => panelOf(shown.get(key) ?? null, found))
    const others = messages.rows.filter((row) => !catalogue.has(keyOf(row))).map((row) => panelOf(row, null))
    return [...listed, ...others]
  },
  (states) => states,
)

/** The panel after a change of its message. */
function changedPanel(row: MessageRow, devices: State<typeof vmsDevices>): Panel {
  return panelOf(row, devicesOf(devices).get(keyOf(row)) ?? null)
}

const deviceFields = { ...pick(device, 'road', 'km', 'destination'), ...placeFields(device), position: device.position } as const
const placeOf = joined<typeof deviceFields, [LiveDevice | null]>([vmsDevices], { name: panel.name, fields: deviceFields })

function panelOf(message: MessageRow, found: LiveDevice | null): Panel
function panelOf(message: MessageRow | null, found: LiveDevice): Panel
function panelOf(message: MessageRow | null, found: LiveDevice | null): Panel {
  const known = (message ?? found) as MessageRow | LiveDevice
  const display = displayOf(message)
  return {
    ...placeOf(found),
    id: known.panel_id,
    direction: found?.direction ?? 'UNKNOWN',
    has_message: display.display === 'MESSAGE',
    ...display,
    is_in_catalogue: found !== null && found.status === 'ACTIVE',
    source_id: known.panel_id,
    ...pick(known, 'source', 'observed_at', 'updated_at', 'status'),
    is_stale: isUnconfirmed(known),
  }
}

const ALL_OF_DISPLAY = ['display', 'status'] as const

/** Names of the panel's changed members, from the changed columns of its message. Its place does not change with a message. */
const changedOf: (changed: readonly string[]) => string[] = changedMembers(vmsMessages, panel.fields, {
  ...{ id: [], road: [], km: [], direction: [], destination: [], province: [], province_code: [], municipality: [] },
  ...{ municipality_code: [], position: [], is_in_catalogue: [], source_id: [] },
  ...{ has_message: ALL_OF_DISPLAY, display: ALL_OF_DISPLAY, text: ['text', 'status'], pages: ['pages', 'status'] },
  ...{ speed_limit_kmh: ['speed_limit_kmh', 'status'], shown_since: ['shown_since', 'status'] },
})

/** Description of panel displays. */
const ABOUT_DISPLAY =
  'Messages are refreshed every two minutes, the catalogue every hour. A panel is `EMPTY` without a message and `BLANK` with a blank one. It is `UNKNOWN`, with `pages` null, if the newest publication lacks it.'

/** The specification's list of panels. */
export const panelList = defineEndpoint({
  path: '/api/panels',
  plan: 'FREE',
  summary: 'Variable-message panels and their current display',
  summary_es: 'Paneles de mensaje variable y lo que muestran ahora',
  about: `The panels of the access roads to Madrid and of the other roads of the state; for those of Madrid ask for \`province=Madrid\` or a \`road\`. ${ABOUT_DISPLAY}`,
  filters: [...panelFilters, areaFilter],
  returns: listReturn('panels', panel, { sorts: ['id', 'road', 'km', 'shown_since', 'updated_at'] }),
  read: { kind: 'memory', from: PANEL_DATASETS, records: panelsOf },
  example: { road: 'M-607', has_message: 'true' },
})

/** One panel. */
export const panelById = defineEndpoint({
  path: '/api/panels/{id}',
  plan: 'FREE',
  summary: 'One variable-message panel: text, pictograms and since when',
  summary_es: 'Un panel de mensaje variable: texto, pictogramas y desde cuándo',
  about: ABOUT_DISPLAY,
  params: { id: panelId },
  returns: { kind: 'one', record: panel },
  read: {
    kind: 'memory',
    from: PANEL_DATASETS,
    answer: ({ states }, { id }) => panelsOf(states).find((one) => one.id === id) ?? null,
  },
  example: { id: '61441' },
})

/** One change of a panel's message. */
const panelChange = record('PanelChange', 'A change of the message of a panel.', {
  id: panel.fields.id,
  ...changeFields(PANEL_DATASETS[0].columns.observed_at),
  panel: nested.object('The panel after the change.', panel.fields),
})

/** The change feed of panels. */
export const panelChanges = defineEndpoint({
  path: '/api/panels/changes',
  isExtra: true,
  plan: 'FREE',
  summary: 'Panels whose message appeared, changed or is no longer known since a cursor',
  summary_es: 'Paneles cuyo mensaje apareció, cambió o se desconoce desde un cursor',
  about: `A panel that publications no longer include is UPDATED, with the display UNKNOWN; panels do not end. ${ABOUT_CHANGES}`,
  explained: CHANGES_PAGE,
  filters: panelFilters,
  returns: changesReturn(panelChange, ['id', 'at']),
  read: {
    kind: 'changes',
    from: PANEL_DATASETS,
    thing: ({ row }, [, devices]) => changedPanel(row, devices),
    entry: (one, change) => ({ id: one.id, kind: change.kind, at: change.at, changed: changedBy(change, changedOf), panel: one }),
  },
  example: { limit: '10' },
})

const SHOWN_FROM = field.instant('Publication that first had this state.', '2026-09-02T22:51:57.000Z')
const SHOWN_TO = maybe.instant('Publication with the next state; null while it is shown.', '2026-09-02T23:15:57.000Z')

const message = record('PanelMessage', 'A past or current state of a panel.', {
  shown_from: SHOWN_FROM,
  shown_to: SHOWN_TO,
  ...displayFields,
})

const c = (name: keyof typeof vmsMessages.columns | 'status' | 'is_baseline' | 'updated_at' | 'last_seen_at'): Sql =>
  column(vmsMessages, name)

/** The states of one panel over time. */
export const panelHistory = defineEndpoint({
  path: '/api/panels/{id}/history',
  plan: 'PRO',
  summary: 'Messages that a variable-message panel showed, with their times',
  summary_es: 'Lo que mostró un panel de mensaje variable, desde cuándo y hasta cuándo',
  about:
    "Every state that overlaps the period, in full: it may begin before the period and end after it. `shown_from` and `shown_to` are publication times, `shown_since` is the time of the panel's clock. " +
    'If publications lack the panel for some time, its display is UNKNOWN during that time. From the lake, at most ten minutes behind the live state; `meta.covered_until` says how far.',
  params: { id: panelId, period: periodParams({ span: '7 days' }) },
  returns: keyedList('messages', message, ['shown_from'], { sorts: ['shown_from'], limit: { default: 100, max: 1000 } }),
  read: {
    kind: 'lake',
    from: [vmsMessages],
    query: ({ id, period }, lake) => {
      const { from, to } = lake.period(period, 7)
      // Each partition opens with the state of every panel, so the partition of the begin has the state at the begin.
      const rows = scan(vmsMessages, { panel_id: { eq: id }, observed_at: { gte: partitionStart(vmsMessages, from) } })
      return sql`
        SELECT *
        FROM (
          SELECT *, lead(shown_from) OVER (ORDER BY shown_from) AS shown_to
          FROM (
            SELECT *, CASE WHEN ${c('status')} = 'ACTIVE' THEN ${c('updated_at')} ELSE ${c('last_seen_at')} END AS shown_from
            FROM ${rows}
            QUALIFY NOT ${c('is_baseline')} OR row_number() OVER (ORDER BY ${c('observed_at')}) = 1
          )
        )
        WHERE shown_from < ${instant(to)} AND coalesce(shown_to > ${instant(from)}, true)`
    },
    rows: {
      columns: { ...tableColumns(vmsMessages), shown_from: SHOWN_FROM, shown_to: SHOWN_TO },
      finish: (row: StateRow<typeof vmsMessages> & { readonly shown_from: number; readonly shown_to: number | null }) => ({
        shown_from: row.shown_from,
        shown_to: row.shown_to,
        ...displayOf(row),
      }),
    },
    existenceCheck: {
      of: vmsDevices,
      find: (state, { id }) => state.rows.some((row: AnyRow) => row['panel_id'] === id),
      past: ({ id }) => sql`SELECT 1 AS one FROM ${scan(vmsMessages, { panel_id: { eq: id } })} LIMIT 1`,
    },
  },
  example: { id: '61441', from: dayFromToday(-1, '2026-09-02'), to: dayFromToday(1, '2026-09-04') },
})
