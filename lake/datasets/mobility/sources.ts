import { defineSource } from '../../schema/sources.ts'

/**
 * The ministry's mobility studies by mobile phones. Their own licence requires attribution; whether it permits use by a paid
 * service is unknown.
 */
export const mitma = defineSource({
  id: 'mitma',
  publisher: 'Ministerio de Transportes y Movilidad Sostenible',
  url: 'https://www.transportes.gob.es/ministerio/proyectos-singulares/estudios-de-movilidad-con-big-data/opendata-movilidad',
  licence: 'Licencia de datos abiertos del MITMA (2020-12-03)',
  licence_url: 'https://opendata-movilidad.mitma.es/LICENCIA%20de%20datos%20abiertos%20del%20MITMA%2020201203.pdf',
  attribution: 'Datos abiertos Ministerio de Transportes y Movilidad Sostenible',
  commercial_use: 'unknown',
})

/** The ministry's traffic map of the state roads. Its map service states no licence. */
export const mitmaTrafficMap = defineSource({
  id: 'mitma_traffic_map',
  publisher: 'Ministerio de Transportes y Movilidad Sostenible, Dirección General de Carreteras',
  url: 'https://mapas.fomento.gob.es/arcgis/rest/services/MapaTrafico',
  licence: 'none stated',
  licence_url: 'https://mapas.fomento.gob.es/arcgis/rest/services/MapaTrafico',
  attribution: 'Mapa de tráfico, Ministerio de Transportes y Movilidad Sostenible',
  commercial_use: 'unknown',
})
