import { v16Beacons } from '../../../lake/datasets/road/v16-beacons.ts'
import { activationsBySection, v16Hours } from '../../../lake/datasets/road/v16-hours.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { pick } from '../../kernel/fields.ts'
import { roadParams, wholeProvinceParam } from '../../kernel/params/params-place.ts'
import { same, shareFollowed, sum } from '../../kernel/reads/figures.ts'
import { isOneOf } from '../../kernel/reads/filter.ts'
import { isOnRoadSql } from '../../kernel/reads/place-sql.ts'
import { series, steps } from '../../kernel/reads/series.ts'
import { seriesOf } from '../../kernel/reads/series-of.ts'
import { field } from '../../kernel/reply-fields.ts'
import { provinceField, provinceName } from '../common-fields.ts'

const { columns } = v16Hours

const points = series({
  name: 'V16Activations',
  about: 'Number of V16 beacons activated on a road section in one step.',
  example: ['2026-01-02T12:00:00.000Z', '1h'],
  fields: {
    ...pick(columns, 'section', 'province_code', 'road', 'km', 'km_to', 'activations'),
    coverage: field.decimal('Share of the step for which the lake has beacon data, 0 to 1.', '1', 6, 1),
    province: provinceField(columns.province_code),
  },
  key: ['section'],
  sorts: ['activations'],
})

const params = {
  time: steps({ '1h': 7, '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' }, { initial: '1h' }),
  province: wholeProvinceParam,
  stretch: roadParams,
}

const METHOD =
  'An activation counts once, in the hour that the source states and on the 10 km section where it was first published. Activations published more than a day later do not count. Days and longer steps are sums of hours.'

/** Past activations. */
export const v16History = defineEndpoint({
  path: '/api/v16/history',
  domain: 'road',
  plan: 'PRO',
  summary: 'Activations of V16 beacons by road section and hour, day, week, month or year',
  summary_es: 'Activaciones de balizas V16 por tramo de carretera y periodo',
  about: `Counts by section only: no single beacon is shown, and none can be tracked. A section without activations in a step has no record. A stretch includes all sections that it touches. ${METHOD}`,
  statistic: { grain: 'One 10 km section of a road in a province, in one step.', method: METHOD },
  params,
  returns: points,
  read: seriesOf({
    params,
    returns: points,
    of: v16Beacons,
    at: 'observed_at',
    late_ms: 86_400_000,
    rollup: { of: v16Hours, step: '1h', make: activationsBySection },
    only: (p) => {
      const c = (name: keyof typeof columns): Sql => column(v16Hours, name)
      const isInProvince = p.province === null ? sql`true` : isOneOf(c('province_code'), p.province)
      return sql`${isInProvince} AND ${isOnRoadSql(p.stretch, { road: c('road'), km: c('km'), km_to: sql`${c('km_to')} - 0.001` })}`
    },
    fields: {
      section: same('section'),
      province_code: same('province_code'),
      road: same('road'),
      km: same('km'),
      km_to: same('km_to'),
      activations: sum('activations'),
      coverage: shareFollowed(),
    },
    computed: { province: (row) => provinceName(row.province_code) },
  }),
  example: { from: dayFromToday(-1, '2026-01-02'), to: dayFromToday(1, '2026-01-03'), province: 'Murcia' },
})
