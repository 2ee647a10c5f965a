import { sql } from '../../../lake/query/sql.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { col } from '../../../lake/schema/columns.ts'
import { type Dataset, defineDataset, month } from '../../../lake/schema/dataset.ts'
import { defineSource } from '../../../lake/schema/sources.ts'

const source = defineSource({
  id: 'every',
  publisher: 'Nobody',
  url: 'https://example.org/',
  licence: 'CC0',
  licence_url: 'https://creativecommons.org/publicdomain/zero/1.0/',
  attribution: 'Nobody',
  commercial_use: 'yes',
})
const COLOURS = defineCodes('colours', 'Colours.', { RED: ['rojo', 'red'], BLUE: ['azul', 'blue'] })

/** A dataset with a column of every kind. */
export const everything = defineDataset({
  id: 'everything',
  domain: 'test',
  title: 'Everything',
  about: 'A column of every kind.',
  sources: [source],
  columns: {
    id: col.integer(1, 'Number of the row.', { unit: '1' }),
    observed_at: col.instant(2, 'Time.'),
    name: col.string(3, 'Name.', { nullable: true }),
    colour: col.code(4, 'Colour.', COLOURS, { nullable: true }),
    extra: col.json(5, 'JSON.', { nullable: true }),
    small: col.integer(6, 'Int.', { unit: '1', nullable: true }),
    big: col.integer(7, 'Long.', { unit: '1', long: true, nullable: true }),
    tiny: col.decimal(8, 'Decimal of 16 bits.', { scale: 1, precision: 4, unit: '1', nullable: true }),
    price: col.decimal(9, 'Decimal of 32 bits.', { scale: 3, unit: 'EUR/L', nullable: true }),
    amount: col.decimal(10, 'Decimal of 64 bits.', { scale: 6, precision: 15, unit: '1', nullable: true }),
    ratio: col.float(11, 'Double.', { unit: '%', nullable: true }),
    is_open: col.boolean(12, 'Boolean.', { nullable: true }),
    seen_at: col.instant(13, 'Another time.', { nullable: true }),
    valid_on: col.local_date(14, 'Date.', { nullable: true }),
    leaves_at: col.service_time(15, 'Service time.', { nullable: true }),
    position: col.point([16, 17], 'Point.', { nullable: true }),
    path: col.line(18, 'Line.', { nullable: true }),
    area: col.polygon(19, 'Polygon.', { nullable: true }),
    regions: col.multipolygon(26, 'Polygons.', { nullable: true }),
    tags: col.list([20, 21], 'List of texts.', col.string(0, 'Tag.'), { nullable: true }),
    stops: col.list([22, 23], 'List of instants.', col.instant(0, 'Stop.'), { nullable: true }),
    rates: col.list([24, 25], 'List of decimals.', col.decimal(0, 'Rate.', { scale: 2, unit: '1' }), { nullable: true }),
  },
  entity: ['id'],
  time: 'observed_at',
  writeMode: 'append',
  partition: [month('observed_at')],
  order: ['name', 'observed_at'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})

/** A dataset like another except for some parts. */
export function variant(parts: Partial<Dataset>, of: Dataset = everything): Dataset {
  return Object.freeze({ ...of, ...parts })
}

export { landRows, openScratchLake as openTestLake } from '../../../scripts/checks/scratch/lake.ts'

/** About one in 200 runs ends with an internal error (DuckDB's issue 22352), which invalidates the database. */
export const SOMETIMES_INTERNAL = sql`
  WITH one AS (SELECT i AS x FROM range(1) t(i)),
  both_parts AS (
    SELECT * FROM one WHERE x >= 5000
    UNION ALL
    SELECT * FROM one WHERE NOT EXISTS (SELECT 1 FROM one WHERE x >= 5000))
  SELECT x, count(*) OVER () AS n FROM both_parts ORDER BY x DESC LIMIT 5`
