import { defineSource } from '../../schema/sources.ts'

/** OurAirports: a catalogue maintained by volunteers, dedicated to the public domain. */
export const ourairports = defineSource({
  id: 'ourairports',
  publisher: 'OurAirports',
  url: 'https://ourairports.com/data/',
  licence: 'Public domain (Unlicense)',
  licence_url: 'https://unlicense.org/',
  attribution: 'Airports: OurAirports, public domain',
  commercial_use: 'yes',
})

/** OpenFlights: the catalogue used while OurAirports is unavailable. Its licence asks for attribution and share-alike. */
export const openflights = defineSource({
  id: 'openflights',
  publisher: 'OpenFlights',
  url: 'https://openflights.org/data.php',
  licence: 'ODbL 1.0',
  licence_url: 'https://opendatacommons.org/licenses/odbl/1-0/',
  attribution: 'Contains information from the OpenFlights Airports Database, made available under the Open Database License',
  commercial_use: 'yes',
})

/** Aena's flight information. Its pages grant no right to reuse it: a service needs an agreement of its own. */
export const aena = defineSource({
  id: 'aena',
  publisher: 'Aena S.M.E., S.A.',
  url: 'https://www.aena.es/es/infovuelos.html',
  licence: 'No open licence: agreement with Aena needed',
  licence_url: 'https://www.aena.es/es/aviso-legal.html',
  attribution: 'Flight information: Aena',
  commercial_use: 'no',
})

/** METAR reports from the Aviation Weather Center of the United States, whose government's works are in the public domain. */
export const awc = defineSource({
  id: 'awc',
  publisher: 'NOAA Aviation Weather Center',
  url: 'https://aviationweather.gov/data/api/',
  licence: 'Public domain (works of the United States government)',
  licence_url: 'https://www.weather.gov/disclaimer',
  attribution: 'METAR: NOAA/NWS Aviation Weather Center',
  commercial_use: 'yes',
})

/**
 * EUROCONTROL's Aviation Intelligence Unit: daily figures of the network manager. Reuse needs the copyright notice and
 * disclaimer; modification needs permission. Commercial use is not mentioned.
 */
export const eurocontrol = defineSource({
  id: 'eurocontrol',
  publisher: 'EUROCONTROL',
  url: 'https://ansperformance.eu/data/',
  licence: 'EUROCONTROL disclaimer (reuse with notice, no modification without permission)',
  licence_url: 'https://ansperformance.eu/about/disclaimer/',
  attribution:
    '© EUROCONTROL. This data is published by the EUROCONTROL Performance Review Unit in the interest of the exchange of information; no warranty is given',
  commercial_use: 'unknown',
})

/**
 * adsb.lol: aircraft positions from volunteers' receivers. ODbL allows commercial use with attribution; derived databases share
 * its licence.
 */
export const adsbLol = defineSource({
  id: 'adsb_lol',
  publisher: 'adsb.lol',
  url: 'https://www.adsb.lol/docs/open-data/api/',
  licence: 'Open Database License (ODbL) 1.0: attribution, derived databases under the same licence (share-alike)',
  licence_url: 'https://opendatacommons.org/licenses/odbl/1-0/',
  attribution: 'Contains information from adsb.lol, made available under the Open Database License (ODbL) 1.0',
  commercial_use: 'yes',
})

/** The OpenSky Network: for research and other non-commercial use, by account holders. */
export const opensky = defineSource({
  id: 'opensky',
  publisher: 'The OpenSky Network',
  url: 'https://openskynetwork.github.io/opensky-api/',
  licence: 'OpenSky terms of use: research and non-commercial use only',
  licence_url: 'https://opensky-network.org/about/terms-of-use',
  attribution: 'The OpenSky Network, https://opensky-network.org',
  commercial_use: 'no',
})
