import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { defineEndpoint, listReturn, type State } from '../../kernel/endpoint.ts'
import { field, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, placeFilter, roadFilter } from '../../kernel/filters.ts'
import { codeParam, group, listOf } from '../../kernel/params/params.ts'
import { inOrder, instantParam } from '../../kernel/params/params-time.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { ABOUT_PLACE, INCIDENTS_PAGE, incident, localise } from './incident.ts'
import { placedIncidents } from './incident-place.ts'
import { type Posts, ROAD_TABLES, roadPosts } from './posts.ts'
import { ABOUT_DUPLICATES } from './same-incident.ts'

/** State of works. */
export const WORKS_PHASES = defineCodes('works_phase', 'Whether works are under way or planned.', {
  ACTIVE: ['En curso', 'Under way'],
  PLANNED: ['Previstas', 'Planned'],
})

const works = record(
  'RoadWorks',
  'Works on a road.',
  {
    ...incident.fields,
    phase: field.code('PLANNED if the source states a start after its newest publication, else ACTIVE.', WORKS_PHASES, 'ACTIVE'),
  },
  { localise },
)

type Works = ValueOf<typeof works.fields>

/** Works with their period; an open end is null. */
interface Timed extends Works {
  readonly from: number
  readonly until: number | null
}

/** The parameters `from` and `to`: a period in which works are under way, at least in part. */
const periodFilter = defineMemoryFilter({
  name: 'period',
  param: group(
    {
      from: instantParam('Works under way at this instant or later.', '2026-01-02'),
      to: instantParam('Works that begin before this instant.', '2026-02-01'),
    },
    inOrder,
  ),
  matches:
    ({ from, to }) =>
    (works: Pick<Timed, 'from' | 'until'>) =>
      (to === null || works.from < to) && (from === null || works.until === null || works.until > from),
})

/** Roadworks. */
export const worksList = defineEndpoint({
  path: '/api/trafico/obras',
  plan: 'FREE',
  summary: 'Roadworks, under way and planned',
  summary_es: 'Obras en carretera, en curso y previstas',
  about: `The incidents of type ROADWORKS; \`from\` and \`to\` select a period in which they are under way. Without a stated end, or if still published after it, the end is unknown. ${ABOUT_DUPLICATES} ${ABOUT_PLACE}`,
  explained: INCIDENTS_PAGE,
  filters: [
    placeFilter,
    columnFilter('phase', listOf(codeParam('Phase of the works.', WORKS_PHASES, { example: 'PLANNED' })), 'phase'),
    periodFilter,
    roadFilter,
    areaFilter,
  ],
  returns: listReturn('works', works, {
    sorts: ['id', 'starts_at', 'expected_end_at', 'updated_at', 'road', 'km'],
  }),
  read: {
    kind: 'memory',
    from: [incidents],
    lake: ROAD_TABLES,
    needs: [],
    answer: async ({ states: [state], optional }) => timed(state, await optional(roadPosts, '')),
  },
  example: { province: 'Granada' },
})

/** The works among incidents. The newest change, not the clock, decides which are planned or over. */
const timed = memo((state: State<typeof incidents>, posts: Posts | null): Timed[] => {
  const now = state.rows.reduce((newest, { updated_at }) => Math.max(newest, updated_at), 0)
  return placedIncidents(state, posts)
    .filter(({ type }) => type === 'ROADWORKS')
    .map((one) => {
      const { starts_at, expected_end_at } = one
      const phase = starts_at !== null && starts_at > now ? 'PLANNED' : 'ACTIVE'
      const until = expected_end_at !== null && expected_end_at > now ? expected_end_at : null
      return { ...one, phase, from: starts_at ?? one.first_seen_at, until }
    })
})
