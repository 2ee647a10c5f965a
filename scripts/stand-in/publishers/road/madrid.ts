import { capturesNamed, defineStandIn, monthlyOn } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'
import { madridPoints } from '../../formats/madrid-points.ts'
import { escapeText } from '../../formats/xml.ts'
import { everyPeriod, type FeedStandIn, keptOf } from '../../publisher.ts'
import { chance } from '../../random.ts'
import { type MadridCamera, madridCameras } from '../../world/cameras.ts'
import { isLeftOut, type Reading, readingsAt } from '../../world/madrid-readings.ts'
import { idAt, madridSensors, type Sensor } from '../../world/madrid-sensors.ts'
import { localText } from '../../world/rhythm.ts'

/** Content of a `pm.xml`. */
interface PmDocument {
  readonly sensors: readonly Sensor[]
  readonly readings: (sensor: Sensor) => Reading
  /** Instant of the publication, ms. */
  readonly publishedAt: number
}

/**
 * Madrid's `pm.xml`: byte order mark, no declaration, CRLF, indented by two blanks, no line end at the end. Urban records have
 * twelve elements, M-30 records have nine.
 */
function madridPm({ sensors, readings, publishedAt }: PmDocument): string {
  const parts = [`\uFEFF<pms>\r\n  <fecha_hora>${localText(publishedAt, 'DD/MM/YYYY hh:mm:ss')}</fecha_hora>\r\n`]
  for (const sensor of sensors) {
    const reading = readings(sensor)
    const isUrban = sensor.kind === 'URB'
    parts.push(
      `  <pm>\r\n    <idelem>${idAt(sensor, publishedAt)}</idelem>\r\n`,
      isUrban ? `    <descripcion>${escapeText(sensor.name)}</descripcion>\r\n    ${filled('accesoAsociado', sensor.access)}\r\n` : '',
      `    <intensidad>${reading.intensity}</intensidad>\r\n    <ocupacion>${reading.occupancy}</ocupacion>\r\n    <carga>${reading.load}</carga>\r\n`,
      `    ${filled('nivelServicio', reading.level === null ? '' : String(reading.level))}\r\n`,
      isUrban ? `    <intensidadSat>${sensor.saturation}</intensidadSat>\r\n` : `    <velocidad>${reading.speed}</velocidad>\r\n`,
      `    ${filled('error', reading.error)}\r\n`,
      isUrban ? `    <subarea>${sensor.subarea}</subarea>\r\n` : '',
      `    <st_x>${decimalComma(sensor.position.x)}</st_x>\r\n    <st_y>${decimalComma(sensor.position.y)}</st_y>\r\n  </pm>\r\n`,
    )
  }
  parts.push('</pms>')
  return parts.join('')
}

/**
 * The layout of 2018: no byte order mark, LF, no time, `codigo` for the id, no position, and the word `Error` for a failed
 * reading.
 */
function madridPm2018({ sensors, readings }: PmDocument): string {
  const parts = ['<pms>\n']
  for (const sensor of sensors) {
    const reading = readings(sensor)
    const isUrban = sensor.kind === 'URB'
    const isSilent = reading.intensity < 0
    const value = (number: number | null): string => (isSilent ? 'Error' : String(number ?? 0))
    parts.push(
      `  <pm>\n    <codigo>${sensor.centreCode}</codigo>\n`,
      isUrban
        ? `    <descripcion>${escapeText(sensor.name)}</descripcion>\n    <accesoAsociado>${sensor.access || '0'}</accesoAsociado>\n`
        : '',
      `    <intensidad>${value(reading.intensity)}</intensidad>\n    <ocupacion>${value(reading.occupancy)}</ocupacion>\n    <carga>${value(reading.load)}</carga>\n`,
      `    <nivelServicio>${value(reading.level)}</nivelServicio>\n`,
      isUrban ? `    <intensidadSat>${sensor.saturation}</intensidadSat>\n` : `    <velocidad>${value(reading.speed)}</velocidad>\n`,
      `    <error>${isSilent ? 'Error' : reading.error || 'N'}</error>\n`,
      isUrban ? `    <subarea>${sensor.subarea}</subarea>\n` : '',
      '  </pm>\n',
    )
  }
  parts.push('</pms>')
  return parts.join('')
}

/** A number with a decimal comma and all digits of a double. */
function decimalComma(value: number): string {
  return String(value).replace('.', ',')
}

function filled(name: string, text: string): string {
  return text === '' ? `<${name} />` : `<${name}>${text}</${name}>`
}

const FIVE_MINUTES = 300_000

const traffic = defineStandIn('madrid_traffic', {
  route: (path) => (path.toLowerCase() === '/informo/tmadrid/pm.xml' ? 'pm' : null),
  publishedAt: everyPeriod(FIVE_MINUTES, 5, 8),
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
  route: (path) => (/^\/.*\b202468-(?:10|263)-.*\.csv$/.test(path) ? 'points' : null),
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

const cameras = fixtureStandIn<MadridCamera>('madrid_cameras', {
  file: 'CCTV.kml',
  element: 'Placemark',
  items: (world) => world.part(madridCameras),
  fields: {
    description: (html, { item }) => html.replace(/Camara\d+/, `Camara${item.number}`).replace(/(?<=&gt;)[^&]+(?=&lt;\/div)/, item.name),
    '@name': (name, { item, edition }) => (edition.variant.hasUnknownCodes && item.number.endsWith('7') ? `${name} nuevo` : name),
    Value: (_value, { item, occurrence }) => (occurrence === 0 ? item.number : item.name),
    coordinates: (_point, { item }) => `${item.lon},${item.lat},10 `,
  },
  captures: { folder: 'madrid-camaras', capturedAt: capturesNamed(/^CCTV/) },
})

/** A number of degrees in the city: `middle` plus at most 0.03 either way. */
const around = (middle: number, name: string, nth: number): string => (middle + 0.06 * (chance(name, nth) - 0.5)).toFixed(6)

const speedCameras = fixtureStandIn('madrid_speed_cameras', {
  file: 'list.csv',
  records: ({ scale }) => (scale === 'full' ? 36 : 8),
  // Two fixed ones and one of a section; the others of the fixture have defects.
  like: (_item, nth) => [0, 1, 4][nth % 3] as number,
  fields: {
    'Nº RADAR': (_number, { nth }) => nth + 1,
    Ubicacion: (name, { nth }) => `${name} ${nth}`,
    'Longitud inicio tramo': (lon, { nth }) => lon && around(-3.69, 'from lon', nth),
    'Latitud inicio tramo': (lat, { nth }) => lat && around(40.42, 'from lat', nth),
    Longitud: (_lon, { nth }) => around(-3.69, 'lon', nth),
    Latitud: (_lat, { nth }) => around(40.42, 'lat', nth),
  },
  captures: { folder: 'madrid-radares', capturedAt: capturesNamed(/^RADARES/, '2025-10-10') },
})

/** Ayuntamiento de Madrid: readings every five minutes, the catalogue of sensors every month, cameras and speed cameras. */
export const madrid: readonly FeedStandIn[] = [traffic, sensors, cameras, speedCameras]

/** One sensor in fifty has unknown codes. */
function withUnknownCodes(reading: Reading, index: number): Reading {
  if (index % 50 !== 3) return reading
  return { ...reading, level: 7, error: 'Z' }
}
