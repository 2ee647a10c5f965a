import { CC_BY_4, defineSource } from '../../schema/sources.ts'

/** The ministry's fuel price register (Geoportal de hidrocarburos). */
export const miteco = defineSource({
  id: 'miteco',
  publisher: 'Ministerio para la Transición Ecológica y el Reto Demográfico',
  url: 'https://geoportalgasolineras.es/',
  ...CC_BY_4,
  attribution: 'Origen de los datos: Ministerio para la Transición Ecológica y el Reto Demográfico, Geoportal de hidrocarburos',
})

/** The European Commission's Weekly Oil Bulletin. */
export const oilBulletin = defineSource({
  id: 'oil_bulletin',
  publisher: 'European Commission, Directorate-General for Energy',
  url: 'https://energy.ec.europa.eu/data-and-analysis/weekly-oil-bulletin_en',
  licence: 'Reuse with attribution (Commission Decision 2011/833/EU)',
  licence_url: 'https://eur-lex.europa.eu/eli/dec/2011/833/oj',
  attribution: 'Source: European Commission, Weekly Oil Bulletin',
  commercial_use: 'yes',
})
