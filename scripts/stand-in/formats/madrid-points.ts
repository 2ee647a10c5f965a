import { utmToPoint } from '../../../lake/places/utm.ts'
import { chance } from '../random.ts'
import { idAt, type Sensor } from '../world/madrid-sensors.ts'

/** The catalogue of measuring points, layout of 2023: no mark, LF, `;`, text quoted, decimal point. */
export function madridPoints({ sensors, seed, editionAt }: { sensors: readonly Sensor[]; seed: number; editionAt: number }): string {
  const lines = ['"tipo_elem";"distrito";"id";"cod_cent";"nombre";"utm_x";"utm_y";"longitud";"latitud"']
  for (const sensor of sensors) {
    // The catalogue lags behind the street: some of what reports is not in it.
    if (chance(seed, 'catalogued', sensor.index) < 0.035) continue
    lines.push(pointLine(sensor, { kind: sensor.kind, id: idAt(sensor, editionAt), seed }))
  }
  // And some of what is in it does not report: approaches to the M-30, mostly.
  for (const sensor of sensors.slice(0, 153)) {
    const kind = sensor.index % 6 === 0 ? 'URB' : 'other'
    lines.push(pointLine(sensor, { kind, id: 1000 + (lines.length % 153), seed }))
  }
  return `${lines.join('\n')}\n`
}

function pointLine(sensor: Sensor, { kind, id, seed }: { kind: string; id: number; seed: number }): string {
  // Where both lists have a sensor, a few positions differ by some metres.
  const shift = chance(seed, 'moved', sensor.index) < 0.03 ? 25 : 0
  const position = { x: sensor.position.x + shift, y: sensor.position.y }
  const { lon, lat } = utmToPoint(position.x, position.y, 30)
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
  const code = kind === 'other' ? `03FL${sensor.centreCode}` : sensor.centreCode
  return [quoted(kind), sensor.district ?? '', id, quoted(code), quoted(sensor.name), position.x, position.y, lon, lat].join(';')
}
