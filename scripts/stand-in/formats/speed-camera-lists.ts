import type { CatalanSpeedCamera, MadridSpeedCamera } from '../world/speed-cameras.ts'

const COLUMNS = ['Via', 'PK', 'Velocitat', 'X', 'Y'] as const
const WIDTH = 12
const MADRID_HEADER =
  'Nº RADAR;Ubicacion;Carretara o vial;UBICACIÓN Calle 30;PK;Sentido;Tipo;Carril;Longitud inicio tramo;Latitud inicio tramo;X (WGS84);Y (WGS84);Longitud;Latitud;Velocidad límite;Responsable'

const cellsOf = ({ road, km, limit, x, y }: CatalanSpeedCamera): string[] => [road, km, String(limit), x, y]

/** Catalonia's fixed cameras: columns of twelve characters, or as many as they need, and a last line of blanks without an end. */
export function sctFixedList(cameras: readonly CatalanSpeedCamera[]): string {
  const rows = [COLUMNS, ...cameras.map(cellsOf)]
  const widths = COLUMNS.map((_, at) => Math.max(WIDTH, ...rows.map((cells) => 1 + (cells[at] as string).length)))
  const lines = rows.map((cells) => cells.map((cell, at) => cell.padEnd(widths[at] as number)).join(''))
  return ['(ETRS89)', '', ...lines, ' '.repeat(WIDTH)].join('\n')
}

/** Catalonia's sites of trailers: tabs and CR LF. */
export function sctTrailerList(cameras: readonly CatalanSpeedCamera[]): string {
  return [COLUMNS, ...cameras.map(cellsOf)].map((cells) => `${cells.join('\t')}\r\n`).join('')
}

/** Madrid's list: byte order mark, `;` and CR LF. With `hasUnknownCodes` it has an unknown column. */
export function madridSpeedCameraList(
  cameras: readonly MadridSpeedCamera[],
  { hasUnknownCodes }: { readonly hasUnknownCodes: boolean },
): string {
  const lines = cameras.map(({ number, name, at, from, limit }) =>
    [
      ...[number, from ? `${name}, RADAR DE TRAMO` : name, name, '', number * 3, number % 2 === 0 ? 'Salida' : 'ENTRADA'],
      ...(from ? ['Radar de tramo', 'Radar de tramo', from.lon, from.lat] : ['Fijo', `Fijo carril ${1 + (number % 3)}`, '', '']),
      ...[at.x.toFixed(2), at.y.toFixed(2), at.lon, at.lat, limit, from ? 'DGGVC' : 'DGP'],
      ...(hasUnknownCodes ? ['X'] : []),
    ].join(';'),
  )
  return `\ufeff${[MADRID_HEADER + (hasUnknownCodes ? ';desconocida' : ''), ...lines, ''].join('\r\n')}`
}
