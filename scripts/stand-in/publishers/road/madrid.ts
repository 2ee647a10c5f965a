import { capturesNamed, defineStandIn, monthlyOn } from '../../define.ts'
import { madridPm, madridPm2018 } from '../../formats/madrid-pm.ts'
import { madridPoints } from '../../formats/madrid-points.ts'
import { keptOf, newestStamp, type Publisher } from '../../publisher.ts'
import { hash } from '../../random.ts'
import { isLeftOut, type Reading, readingsAt } from '../../world/madrid-readings.ts'
import { madridSensors } from '../../world/madrid-sensors.ts'
import { madridCameraLists } from './camera-lists.ts'

const FIVE_MINUTES = 300_000

const traffic = defineStandIn('madrid_traffic', {
  route: (path) => (path.toLowerCase() === '/informo/tmadrid/pm.xml' ? { kind: 'document', resource: 'pm' } : null),
  publishedAt: newestStamp(FIVE_MINUTES, stamp),
  contentType: 'text/xml',
  blocks: { known: /^(M30|URB)$/, usual: ['M30'] },
  hasOldLayout: true,
  write(world, { publishedAt, stampedAt, variant }) {
    const present = world
      .part(madridSensors)
      .filter((sensor) => !isLeftOut(world.seed, sensor, publishedAt) && !variant.missingBlocks.includes(sensor.kind))
    const plain = readingsAt(world.seed, publishedAt)
    const document = {
      sensors: keptOf(present, variant),
      readings: variant.hasUnknownCodes ? (sensor: (typeof present)[number]) => withUnknownCodes(plain(sensor), sensor.index) : plain,
      publishedAt: stampedAt,
    }
    return variant.isOldLayout ? madridPm2018(document) : madridPm(document)
  },
  captures: {
    folder: 'madrid-intensidad',
    // pm_20231022T172007.xml.gz, by Madrid's clock; the one of 2018 has the date of its commit (provenance in the notes).
    capturedAt: (file) => capturesNamed(/^pm_old-format_201802/, '2018-02-24')(file) ?? capturesNamed(/^pm_\d{8}T\d{6}/)(file),
  },
})

const sensors = defineStandIn('madrid_sensors', {
  path: '/egob/catalogo/202468-10-intensidad-trafico.csv',
  // Each edition has its own number in the catalogue; the newest is served under these numbers, earlier ones in the archive.
  route: (path) => (/^\/.*\b202468-(?:10|263)-.*\.csv$/.test(path) ? { kind: 'document', resource: 'points' } : null),
  // A new edition a month, at midnight of its first day.
  publishedAt: monthlyOn(1),
  validators: 'modified',
  blocks: { known: /^(M30|URB)$/, usual: ['M30'] },
  write(world, { publishedAt, variant }) {
    const present = world.part(madridSensors).filter((sensor) => !variant.missingBlocks.includes(sensor.kind))
    const text = madridPoints({ sensors: keptOf(present, variant), seed: world.seed, editionAt: publishedAt })
    return variant.hasUnknownCodes ? text.replaceAll(/^"URB";(?=7;)/gm, '"DRON";') : text
  },
  captures: {
    folder: 'madrid-puntos-medida',
    // Their names have only the month; the day is that of their commit (provenance in the notes).
    capturedAt: (file) =>
      capturesNamed(/^pmed_2018-02/, '2018-02-24')(file) ?? capturesNamed(/^pmed_ubicacion_2023-07/, '2023-07-23')(file),
  },
})

/** Ayuntamiento de Madrid: readings every five minutes, the catalogue of sensors every month, cameras and speed cameras. */
export const madrid: Publisher = { name: 'Ayuntamiento de Madrid', feeds: [traffic, sensors, ...madridCameraLists] }

/** 5 to 12 s after the start of the interval. */
function stamp(seed: number, mark: number): number {
  return mark * FIVE_MINUTES + (5 + (hash(seed, 'madrid stamp', mark) % 8)) * 1000
}

/** One sensor in fifty has unknown codes. */
function withUnknownCodes(reading: Reading, index: number): Reading {
  if (index % 50 !== 3) return reading
  return { ...reading, level: 7, error: 'Z' }
}
