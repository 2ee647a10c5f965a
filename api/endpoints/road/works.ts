import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { record, type ValueOf } from '../../define/fields.ts'
import { isInside } from '../../define/geo.ts'
import { codeParam, group, listOf } from '../../define/params.ts'
import { geoParams, isAt, isOnRoad, placeParams, roadParams } from '../../define/params-place.ts'
import { inOrder, instantParam } from '../../define/params-time.ts'
import { ABOUT_PLACE, type IncidentRow, incident, localise, toIncident } from './incident.ts'
import { ABOUT_DOUBLES, withoutDoubles } from './same-incident.ts'

/** Whether works go on. */
export const WORKS_PHASES = defineCodes('works_phase', 'Whether works go on or are yet to begin.', {
  ACTIVE: ['En curso', 'Under way'],
  PLANNED: ['Previstas', 'Planned'],
})

const works = record(
  'RoadWorks',
  'Works on a road.',
  {
    ...incident.fields,
    phase: col.code(0, 'PLANNED where the source states a start that lies after its newest publication, else ACTIVE.', WORKS_PHASES, {
      example: 'ACTIVE',
    }),
  },
  { localise },
)

type Works = ValueOf<typeof works.fields>

/** Works, with when they go on: an open end is null. */
interface Timed {
  readonly one: Works
  readonly from: number
  readonly until: number | null
}

/** The period in which works go on, at least in part; null where an end is left open. */
const worksPeriod = group(
  {
    from: instantParam('Works that go on at this instant or later.', '2026-01-02'),
    to: instantParam('Works that begin before this instant.', '2026-02-01'),
  },
  inOrder,
)

/** Works on the roads. */
export const worksList = defineEndpoint({
  path: '/api/trafico/obras',
  domain: 'road',
  plan: 'FREE',
  summary: 'Roadworks, under way and planned',
  about: `The incidents of type ROADWORKS, with \`from\` and \`to\` for a period they go on in. They go on from \`starts_at\`, where the source states none from when they were first seen, until \`expected_end_at\`; where that has passed and the source still publishes them, and where it states none, without a known end. SCT states neither, DGT both for most. ${ABOUT_PLACE} ${ABOUT_DOUBLES}`,
  params: {
    place: placeParams,
    phase: listOf(codeParam('Whether they go on.', WORKS_PHASES, { example: 'PLANNED' })),
    period: worksPeriod,
    stretch: roadParams,
    geo: geoParams,
  },
  returns: {
    kind: 'list',
    name: 'works',
    record: works,
    key: ['id'],
    id: 'id',
    sorts: ['id', 'starts_at', 'expected_end_at', 'updated_at', 'road', 'km'],
    order: 'id',
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'live',
    from: [incidents],
    records: ([state]) => timed(state.rows),
    pick: (records, p) =>
      records
        .filter(
          ({ one, from, until }) =>
            isAt(p.place, one) &&
            isOnRoad(p.stretch, one) &&
            (!p.phase || p.phase.includes(one.phase)) &&
            (p.period.to === null || from < p.period.to) &&
            (p.period.from === null || until === null || until > p.period.from) &&
            (!p.geo || isInside(p.geo, one.position)),
        )
        .map(({ one }) => one),
  },
  example: { province: 'Granada' },
})

/** The works among incidents. What is planned and what is over is judged by the newest change of all, never by the clock. */
function timed(rows: readonly IncidentRow[]): Timed[] {
  const now = rows.reduce((newest, { updated_at }) => Math.max(newest, updated_at), 0)
  return withoutDoubles(rows)
    .filter(({ type }) => type === 'ROADWORKS')
    .map((row) => {
      const { starts_at, expected_end_at } = row
      const phase = starts_at !== null && starts_at > now ? 'PLANNED' : 'ACTIVE'
      const until = expected_end_at !== null && expected_end_at > now ? expected_end_at : null
      return { one: { ...toIncident(row), phase }, from: starts_at ?? row.first_seen_at, until }
    })
}
