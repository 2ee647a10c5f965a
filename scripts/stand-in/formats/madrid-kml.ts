import type { MadridCamera } from '../world/cameras.ts'
import { escapeText } from './xml.ts'

/** Madrid's cameras as KML 2.2 with a byte order mark. With `hasUnknownCodes` a placemark in forty has unknown data. */
export function madridKml(cameras: readonly MadridCamera[], { hasUnknownCodes }: { readonly hasUnknownCodes: boolean }): string {
  const lines = ['\ufeff<kml xmlns="http://earth.google.com/kml/2.2">', '  <Document>', '    <name>CCTV.kml</name>']
  for (const [nth, { number, name, lon, lat }] of cameras.entries()) {
    const image = `http://informo.munimadrid.es/informo/Camaras/Camara${number}_mdf.jpg?v=77283`
    const html = `<div align=center><img src=${image}  width=300 height=220/><br/>${name}</div>`
    const data: (readonly [string, string])[] = [
      ['Numero', number],
      ['Nombre', name],
      ...(hasUnknownCodes && nth % 40 === 7 ? [['Giro', 'S'] as const] : []),
    ]
    lines.push('    <Placemark>', `      <description>${escapeText(html)}</description>`, '      <ExtendedData>')
    for (const [key, value] of data)
      lines.push(`        <Data name="${key}">`, `          <Value>${escapeText(value)}</Value>`, '        </Data>')
    lines.push('      </ExtendedData>', '      <Point>', '        <altitudeMode>relativeToGround</altitudeMode>')
    lines.push(`        <coordinates>${lon},${lat},10 </coordinates>`, '      </Point>', '    </Placemark>')
  }
  return [...lines, '  </Document>', '</kml>', ''].join('\n')
}
