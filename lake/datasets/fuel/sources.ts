import { defineSource } from '../../schema/sources.ts'

/** The ministry's fuel price register (Geoportal de hidrocarburos). */
export const miteco = defineSource({
  id: 'miteco',
  publisher: 'Ministerio para la Transición Ecológica y el Reto Demográfico',
  url: 'https://geoportalgasolineras.es/',
  licence: 'CC BY 4.0',
  licence_url: 'https://creativecommons.org/licenses/by/4.0/',
  attribution: 'Origen de los datos: Ministerio para la Transición Ecológica y el Reto Demográfico, Geoportal de hidrocarburos',
  commercial_use: 'yes',
})
