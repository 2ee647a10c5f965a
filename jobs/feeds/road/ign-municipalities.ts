import { municipalityRegister } from '../../../lake/datasets/road/municipality-register.ts'
import { ignRegister } from '../../../lake/datasets/road/sources.ts'
import { FormatError } from '../define.ts'
import { csvFeed } from '../kit/record-feed.ts'

const URL = 'https://centrodedescargas.cnig.es/CentroDescargas/MUNICIPIOS.csv'

/**
 * Municipalities with inhabitants in IGN's register: Windows-1252, semicolons, decimal commas. The file does not state its year:
 * the operator who imports it does. The publisher refuses scripts.
 */
export const ignMunicipalities = csvFeed({
  id: 'ign_municipalities',
  source: ignRegister,
  into: municipalityRegister,
  every_s: 30 * 86_400,
  importedBy: 'scripts/roads import',
  get: { name: '2025', url: URL, maxBytes: 8_000_000 },
  // The register of a year is published during the next one.
  archive: { unit: 'year', index: [], files: (_index, { to }) => [{ period: String(Number(to.slice(0, 4)) - 1), url: URL }], recent: 1 },
  freshBy: 'fetch',
  band: { atLeast: 1 },
  decimal: 'comma',
  columns: {
    ...{ code: 'COD_INE', name: 'NOMBRE_ACTUAL', population: 'POBLACION_MUNI', area_ha: 'SUPERFICIE', capital: 'CAPITAL' },
    ...{ capital_population: 'POBLACION_CAPITAL', lon: 'LONGITUD_ETRS89', lat: 'LATITUD_ETRS89', altitude: 'ALTITUD' },
  },
  knows: ['ID_REL', 'COD_GEO', 'COD_PROV', 'PROVINCIA', 'PERIMETRO', 'COD_INE_CAPITAL', 'HOJA_MTN25_ETRS89', 'ORIGENCOOR', 'ORIGENALTITUD'],
  needs: ['code', 'name'],
  nonEmptyFields: ['population', 'area_ha', 'lon', 'lat'],
  file: ({ name }) => name,
  row(r, edition) {
    const code = r.text('code')
    if (!/^\d{11}$/.test(code)) throw new FormatError('COD_INE is no code of eleven digits')
    const [area_ha, altitude] = [r.number('area_ha'), r.number('altitude')]
    return {
      ...{ edition, municipality_code: code.slice(0, 5), province_code: code.slice(0, 2), name: r.text('name') },
      population: r.integer('population'),
      area_km2: area_ha === null ? null : Math.round(100 * area_ha) / 10_000,
      ...{ capital: r.text('capital'), capital_population: r.integer('capital_population'), position: r.position('lat', 'lon') },
      altitude_m: altitude === null ? null : Math.round(altitude),
      published_at: Date.UTC(Number(edition), 0, 1),
    }
  },
})
