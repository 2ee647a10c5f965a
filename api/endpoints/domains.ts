/** The domains of the endpoints, as people call them. */
export const DOMAINS: Readonly<Record<string, { readonly es: string; readonly en: string }>> = Object.freeze({
  fuel: { es: 'Gasolineras', en: 'Filling stations' },
  mobility: { es: 'Movilidad', en: 'Mobility' },
  rail: { es: 'Trenes', en: 'Trains' },
  road: { es: 'Carreteras', en: 'Roads' },
  safety: { es: 'Seguridad vial', en: 'Road safety' },
  weather: { es: 'Tiempo y clima', en: 'Weather' },
  service: { es: 'Fuentes y códigos', en: 'Sources and codes' },
})
