import type { Reading } from '../world/madrid-readings.ts'
import { idAt, type Sensor } from '../world/madrid-sensors.ts'
import { localText } from '../world/rhythm.ts'
import { escapeText } from './xml.ts'

/** Content of a `pm.xml`. */
export interface PmDocument {
  readonly sensors: readonly Sensor[]
  readonly readings: (sensor: Sensor) => Reading
  /** Instant of the publication, ms. */
  readonly publishedAt: number
}

/**
 * Madrid's `pm.xml`: byte order mark, no declaration, CRLF, indented by two blanks, no line end at the end. Urban records have
 * twelve elements, M-30 records have nine.
 */
export function madridPm({ sensors, readings, publishedAt }: PmDocument): string {
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
export function madridPm2018({ sensors, readings }: PmDocument): string {
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
