import { vmsDevices } from '../../../lake/datasets/road/vms-devices.ts'
import { vmsMessages } from '../../../lake/datasets/road/vms-messages.ts'
import type { Json } from '../../../lake/schema/columns.ts'
import { parseInstant } from '../../../lake/schema/time.ts'
import type { State, StatesOf } from '../../kernel/endpoint.ts'
import { joined, nested, pick, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { placeFilter } from '../../kernel/filters/place.ts'
import { roadFilter } from '../../kernel/filters/road.ts'
import { booleanParam, required, textParam } from '../../kernel/params/params.ts'
import { changedMembers } from '../../kernel/reads/changed.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
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
export const displayFields = {
  ...pick(columns, 'display', 'text', 'speed_limit_kmh'),
  pages: nested.maybeObjects(
    'Pages in the order in which they rotate; empty if no message is set, null if the display is unknown.',
    pageFields,
  ),
  shown_since: columns.shown_since,
} as const

type Display = ValueOf<typeof displayFields>

/** A panel with what it shows. */
export const panel = record('Panel', 'A variable-message panel and its display.', {
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
export const PANEL_DATASETS = [vmsMessages, vmsDevices] as const

/** The panel id as a path parameter. */
export const panelId = required(textParam("The publisher's id of the panel.", { max: 40, example: '61441' }))

/** Filters of panels, in lists and in the change feed. */
export const panelFilters = [
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
export function displayOf(row: MessageRow | null): Display {
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
export function changedPanel(row: MessageRow, devices: State<typeof vmsDevices>): Panel {
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
export const changedOf: (changed: readonly string[]) => string[] = changedMembers(vmsMessages, panel.fields, {
  ...{ id: [], road: [], km: [], direction: [], destination: [], province: [], province_code: [], municipality: [] },
  ...{ municipality_code: [], position: [], is_in_catalogue: [], source_id: [] },
  ...{ has_message: ALL_OF_DISPLAY, display: ALL_OF_DISPLAY, text: ['text', 'status'], pages: ['pages', 'status'] },
  ...{ speed_limit_kmh: ['speed_limit_kmh', 'status'], shown_since: ['shown_since', 'status'] },
})
