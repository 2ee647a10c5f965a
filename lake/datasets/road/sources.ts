import { defineSource } from '../../schema/sources.ts'

/** Dirección General de Tráfico, by the Spanish National Access Point. */
export const dgt = defineSource({
  id: 'dgt',
  publisher: 'Dirección General de Tráfico',
  url: 'https://nap.dgt.es/dataset/incidencias-dgt-datex2-v3-7',
  licence: 'CC BY 4.0',
  licence_url: 'https://creativecommons.org/licenses/by/4.0/',
  attribution: 'Origen de los datos: Dirección General de Tráfico (DGT), nap.dgt.es',
  commercial_use: 'yes',
})

/** The city of Madrid's open data. */
export const madrid = defineSource({
  id: 'madrid',
  publisher: 'Ayuntamiento de Madrid',
  url: 'https://datos.madrid.es/portal/site/egob/menuitem.c05c1f754a33a9fbe4b2e4b284f1a5a0/?vgnextoid=02f2c23866b93410VgnVCM1000000b205a0aRCRD',
  licence: 'CC BY 4.0',
  licence_url: 'https://creativecommons.org/licenses/by/4.0/',
  attribution: 'Origen de los datos: Ayuntamiento de Madrid',
  commercial_use: 'yes',
})
