import { CC_BY_4, defineSource } from '../../schema/sources.ts'

/** Dirección General de Tráfico, from the Spanish National Access Point. */
export const dgt = defineSource({
  id: 'dgt',
  publisher: 'Dirección General de Tráfico',
  url: 'https://nap.dgt.es/dataset/incidencias-dgt-datex2-v3-7',
  ...CC_BY_4,
  attribution: 'Origen de los datos: Dirección General de Tráfico (DGT), nap.dgt.es',
})

/**
 * Servei Català de Trànsit, the traffic authority of Catalonia. Its licence permits reuse and transformation for any lawful
 * purpose. It forbids altering the content and requires the source and its last update time, which replies state.
 */
export const sct = defineSource({
  id: 'sct',
  publisher: 'Servei Català de Trànsit',
  url: 'https://transit.gencat.cat/',
  licence: "Llicència oberta d'ús d'informació - Catalunya",
  licence_url: 'http://dadesobertes.gencat.cat/ca/el_projecte_de_dades_obertes_gencat/com_utilitzar_les_dades_termes_d_us_i_llicencies/',
  attribution: "Generalitat de Catalunya. Departament d'Interior. Servei Català de Trànsit",
  commercial_use: 'yes',
})

/**
 * Trafikoa, the traffic authority of the Basque Country, on the national access point. Its page there says "No licence - No
 * contract": no licence is stated.
 */
export const trafikoa = defineSource({
  id: 'trafikoa',
  publisher: 'Dirección de Tráfico del Gobierno Vasco (Trafikoa)',
  url: 'https://nap.dgt.es/dataset/incidencias-gobierno-vasco-dt-gv',
  licence: 'No licence stated (No licence - No contract)',
  licence_url: 'https://nap.dgt.es/dataset/incidencias-gobierno-vasco-dt-gv',
  attribution: 'Eusko Jaurlaritza - Gobierno Vasco. Trafikoa',
  commercial_use: 'unknown',
})

/** The Servei Català de Trànsit's situations on the national access point, whose page states no licence of its own. */
export const sctSituations = defineSource({
  id: 'sct_situations',
  publisher: 'Servei Català de Trànsit',
  url: 'https://nap.dgt.es/dataset/incidencias-sct',
  licence: 'No licence stated (No licence - No contract)',
  licence_url: 'https://nap.dgt.es/dataset/incidencias-sct',
  attribution: "Generalitat de Catalunya. Departament d'Interior. Servei Català de Trànsit",
  commercial_use: 'unknown',
})

/** Works and restrictions on the island roads of Mallorca. The Consell's map server states neither fees nor a licence. */
export const mallorca = defineSource({
  id: 'mallorca',
  publisher: 'Consell de Mallorca (IDEmallorca)',
  url: 'https://www.conselldemallorca.es/es/idemallorca',
  licence: 'No licence stated',
  licence_url: 'https://www.conselldemallorca.es/es/idemallorca',
  attribution: 'Consell de Mallorca. IDEmallorca',
  commercial_use: 'unknown',
})

/** The city of Madrid's open data. */
export const madrid = defineSource({
  id: 'madrid',
  publisher: 'Ayuntamiento de Madrid',
  url: 'https://datos.madrid.es/portal/site/egob/menuitem.c05c1f754a33a9fbe4b2e4b284f1a5a0/?vgnextoid=02f2c23866b93410VgnVCM1000000b205a0aRCRD',
  ...CC_BY_4,
  attribution: 'Origen de los datos: Ayuntamiento de Madrid',
})

/** The state of traffic in Barcelona's streets. */
export const barcelonaTraffic = defineSource({
  id: 'barcelona_traffic',
  publisher: 'Ajuntament de Barcelona',
  url: 'https://opendata-ajuntament.barcelona.cat/data/ca/dataset/trams',
  ...CC_BY_4,
  attribution: 'Font: Ajuntament de Barcelona, Open Data BCN',
})

/** State of traffic in València's streets. */
export const valenciaTraffic = defineSource({
  id: 'valencia_traffic',
  publisher: 'Ajuntament de València',
  url: 'https://valencia.opendatasoft.com/explore/dataset/estat-transit-temps-real-estado-trafico-tiempo-real/',
  ...CC_BY_4,
  attribution: 'Font: Ajuntament de València, Geoportal de Dades Obertes',
})

/** Traffic in Bilbao's streets. Its terms of reuse require attribution; it is unconfirmed that they are this feed's licence. */
export const bilbaoTraffic = defineSource({
  id: 'bilbao_traffic',
  publisher: 'Ayuntamiento de Bilbao',
  url: 'https://www.bilbao.eus/opendata/es/inicio',
  licence: 'Licencia para conjuntos de datos de Bilbao Open Data',
  licence_url: 'https://www.bilbao.eus/opendata/es/licencia-para-conjunto-de-datos',
  attribution: 'Origen de los datos: Ayuntamiento de Bilbao, Bilbao Open Data',
  commercial_use: 'unknown',
})

/**
 * The road network of Instituto Geográfico Nacional (IGR-RT): sections and kilometre posts. Its download centre refuses scripts:
 * operators import its files.
 */
export const ign = defineSource({
  id: 'ign',
  publisher: 'Instituto Geográfico Nacional',
  url: 'https://centrodedescargas.cnig.es/CentroDescargas/redes-transporte',
  ...CC_BY_4,
  attribution: 'IGR Redes de Transporte CC-BY 4.0 ign.es',
})

/** Boundaries of IGN (BDLJE), as npm's es-atlas has them. */
export const ignBoundaries = defineSource({
  id: 'ign_boundaries',
  publisher: 'Instituto Geográfico Nacional',
  url: 'https://github.com/martgnz/es-atlas',
  ...CC_BY_4,
  attribution: 'Obra derivada de BDLJE CC-BY 4.0 ign.es (es-atlas)',
})

/** IGN's register of municipalities and settlements (Nomenclátor, NGMEP). */
export const ignRegister = defineSource({
  id: 'ign_register',
  publisher: 'Instituto Geográfico Nacional',
  url: 'https://centrodedescargas.cnig.es/CentroDescargas/nomenclator-geografico',
  ...CC_BY_4,
  attribution: 'Nomenclátor Geográfico de Municipios y Entidades de Población CC-BY 4.0 ign.es',
})
