import { LINE_ABSENCES } from '../../../lake/datasets/mobility/codes.ts'
import { corridorHours, corridorSensorMonths } from '../../../lake/datasets/mobility/corridors.ts'
import { imdSections } from '../../../lake/datasets/mobility/imd.ts'
import { corridors } from '../../../lake/places/corridors.ts'
import { ABOUT_HOLIDAYS } from '../../../lake/places/holidays.ts'
import { foldName } from '../../../lake/places/names.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { field, maybe, nested, record, type ValueOf } from '../../kernel/fields.ts'
import { integerParam, knownBy, required, textParam } from '../../kernel/params/params.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'
import { type Posts, ROAD_TABLES, roadPosts } from '../road/posts.ts'
import { type CorridorTraffic, corridorFields, dailyAt, hoursOfYear, trafficOf, withAge } from './corridor.ts'
import { ABOUT_LINES, draftOf, drawn, sectionFields } from './imd.ts'
import { ABOUT_IMD, yearsIn } from './imd-sections.ts'
import { MOBILITY_PAGE } from './study.ts'

const ABOUT =
  "Roads of Madrid, state roads (A-, AP-) as a whole, and access roads of five cities (acceso-…). Data: the city's sensors on the M-30, DGT's detectors on access roads, else the ministry's map."
const METHOD =
  'MINISTRY_SECTIONS: vehicle-km of the sections divided by their length and days. CITY_SENSORS: the mean over the sensors of 24 times their mean hourly intensity. Readings are of one source and period, the one with most hours in the year. ROAD_DETECTORS: the same over carriageways at a kilometre, each the sum of its lanes, all of which must have data; DGT measures one minute of five. ' +
  `The change covers sections or sensors present in both years. The profile shows hourly means over the sensors. ${ABOUT_HOLIDAYS}`
const LAKE = [imdSections, ...ROAD_TABLES, corridorSensorMonths, corridorHours] as const

/** Years with data of at least one corridor. */
const corridorYears = yearsIn('corridor years', imdSections, corridorSensorMonths)

const yearParam = knownBy(integerParam('Year; by default the newest of each corridor.', { min: 1990, max: 2200, example: '2018' }), {
  query: corridorYears,
  expected: 'expected a year with data of a corridor',
  isListed: true,
})

const corridor = record(
  'Corridor',
  'A corridor: vehicles per day, the change from the year before, and the distribution over the hours.',
  corridorFields,
)

/** Corridors. */
export const corridorList = defineEndpoint({
  path: '/api/movilidad/corredores',
  plan: 'PRO',
  summary: 'Corridors: average daily traffic, change from the year before, hourly profile',
  summary_es: 'Corredores: IMD, cambio respecto al año anterior y perfil horario',
  about: `${ABOUT} Figures of a year that ended more than two years ago are \`stale\`. ${ABOUT_IMD}`,
  explained: MOBILITY_PAGE,
  statistic: { grain: 'One corridor, one year.', method: METHOD },
  params: {
    q: textParam('Words in the id or name; case and accents are ignored.', { max: 60, example: 'madrid' }),
    year: yearParam,
  },
  returns: listReturn('corridors', corridor, {
    sorts: ['id', 'imd_veh_day', 'change_pct', 'length_km'],
    limit: { default: 200, max: 20_000 },
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: LAKE,
    needs: [imdSections],
    clockGranularity_s: 3600,
    answer: async ({ cached }, { q, year }, now) => {
      const words = q === null ? [] : foldName(q).split(' ')
      const wanted = corridors.filter(({ id, name }) => words.every((word) => `${foldName(id)} ${foldName(name)}`.includes(word)))
      const found = await Promise.all(wanted.map((one) => trafficOf(cached, one, year)))
      return found.flatMap((one) => (one ? [withAge(one.figures, now)] : []))
    },
  },
  example: { q: 'a-6', year: '2018' },
})

const { geometry: _line, ...plainSection } = sectionFields

const detailFields = {
  ...corridorFields,
  sections: nested.objects('Its sections with their figures, in the order of their kilometres; empty if its data comes from sensors.', {
    ...plainSection,
    line: sectionFields.geometry,
  }),
  sensors: nested.objects(
    'Its sensors; empty if its data comes from sections. Of a carriageway with detectors, the first lane stands for all.',
    {
      sensor_id: corridorSensorMonths.columns.sensor_id,
      imd_veh_day: field.decimal('24 times the mean hourly intensity.', 'veh/d', 1, 51_369.6),
      coverage: field.decimal('Share of the hours of the year with an intensity.', '1', 6, 0.982),
    },
  ),
  geometry: sectionFields.geometry,
  geometry_absent: maybe.code('Why there is no line of the whole corridor; null if there is one.', LINE_ABSENCES, null),
} as const

const detail = record('CorridorDetail', 'A corridor with its sections or sensors, and its line.', detailFields)

/** One corridor. */
export const corridorById = defineEndpoint({
  path: '/api/movilidad/corredores/{id}',
  plan: 'PRO',
  summary: 'One corridor with its sections or sensors and its line',
  summary_es: 'Un corredor con sus tramos o sensores y su línea',
  about: `${ABOUT} ${ABOUT_LINES} Sections have their own lines if the corridor has none.`,
  explained: MOBILITY_PAGE,
  statistic: { grain: 'One corridor, one year.', method: METHOD },
  params: {
    id: required(textParam('Id of the corridor.', { max: 40, example: 'madrid-a-6' })),
    year: yearParam,
  },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'memory',
    from: [],
    lake: LAKE,
    needs: [imdSections],
    clockGranularity_s: 3600,
    answer: async ({ cached, optional: extra }, { id, year }, now) => {
      const declared = corridors.find((one) => one.id === id)
      const found = declared ? await trafficOf(cached, declared, year) : null
      if (declared?.basis.kind === 'ROAD_DETECTORS' && !found && year === null)
        throw noDataYet(`The detectors of ${declared.name} have no complete day of readings yet`, {
          ...{ missing: [corridorSensorMonths], waits_for: ['a complete day of dgt_detectors'] },
        })
      return found && withAge(detailOf(found, await extra(roadPosts, '')), now)
    },
  },
  example: { id: 'madrid-a-6', year: '2018' },
})

function detailOf({ figures, sections, sensors }: CorridorTraffic, posts: Posts | null): Omit<ValueOf<typeof detailFields>, 'stale'> {
  const [only, ...others] = figures.roads
  const way = posts && only && others.length === 0 ? posts.line(foldRoad(only.road), { ...only, province_code: null }) : null
  return {
    ...figures,
    sections: sections.map((one) => {
      const { geometry: line, ...rest } = drawn(draftOf(one), posts)
      return { ...rest, line }
    }),
    sensors: sensors.map((one) => ({
      sensor_id: one.sensor_id,
      imd_veh_day: Math.round(10 * dailyAt(one)) / 10,
      coverage: Math.round((1e6 * one.hours) / hoursOfYear(figures.year)) / 1e6,
    })),
    geometry: way?.line ?? null,
    geometry_absent: way ? null : posts ? 'NO_POINTS' : 'NOT_NOW',
  }
}
