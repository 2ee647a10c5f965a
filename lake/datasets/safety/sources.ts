import { CC_BY_4, defineSource } from '../../schema/sources.ts'

/** DGT's yearly accident files from its statistics pages; datos.gob.es states their licence (legal notice for reuse). */
export const dgtAccidentFiles = defineSource({
  id: 'dgt_accidents',
  publisher: 'Dirección General de Tráfico',
  url: 'https://www.dgt.es/menusecundario/dgt-en-cifras/',
  licence: 'Aviso legal de datos.gob.es',
  licence_url: 'https://datos.gob.es/es/aviso-legal',
  attribution: 'Origen de los datos: Dirección General de Tráfico (DGT)',
  commercial_use: 'yes',
})

/** The city of Barcelona's open data. */
export const barcelona = defineSource({
  id: 'barcelona',
  publisher: 'Ajuntament de Barcelona',
  url: 'https://opendata-ajuntament.barcelona.cat/data/ca/dataset/accidents-gu-bcn',
  ...CC_BY_4,
  attribution: 'Font: Guàrdia Urbana, Ajuntament de Barcelona, Open Data BCN',
})

/** The severe accident list of the Servei Català de Trànsit, on the Generalitat's open-data portal. */
export const sctAccidentList = defineSource({
  id: 'sct_accidents',
  publisher: 'Servei Català de Trànsit',
  url: 'https://analisi.transparenciacatalunya.cat/d/rmgc-ncpb',
  licence: "Llicència oberta d'ús d'informació - Catalunya",
  licence_url: 'http://dadesobertes.gencat.cat/ca/el_projecte_de_dades_obertes_gencat/com_utilitzar_les_dades_termes_d_us_i_llicencies/',
  attribution: "Generalitat de Catalunya. Departament d'Interior. Servei Català de Trànsit",
  commercial_use: 'yes',
})
