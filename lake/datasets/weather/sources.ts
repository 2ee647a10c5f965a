import { defineSource } from '../../schema/sources.ts'

/** Agencia Estatal de Meteorología: AEMET OpenData. Its legal notice permits reuse if AEMET is cited as the author. */
export const aemet = defineSource({
  id: 'aemet',
  publisher: 'Agencia Estatal de Meteorología',
  url: 'https://opendata.aemet.es/',
  licence: 'Aviso legal de AEMET (reutilización con cita)',
  licence_url: 'https://www.aemet.es/es/nota_legal',
  attribution: '© AEMET. Información elaborada utilizando, entre otras, la obtenida de la Agencia Estatal de Meteorología',
  commercial_use: 'yes',
})
