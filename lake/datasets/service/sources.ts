import { defineSource } from '../../schema/sources.ts'

/** What this service records of itself. It is published nowhere. */
export const ownRecords = defineSource({
  id: 'own_records',
  publisher: 'Traffic Intelligence',
  url: 'http://localhost/openapi.json',
  licence: 'not published',
  licence_url: 'http://localhost/openapi.json',
  attribution: 'Traffic Intelligence',
  commercial_use: 'no',
})
