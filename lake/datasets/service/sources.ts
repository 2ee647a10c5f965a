import { defineSource } from '../../schema/sources.ts'

/** Records of this service about itself. They have no external publisher. */
export const ownRecords = defineSource({
  id: 'own_records',
  publisher: 'Traffic Intelligence',
  url: 'http://localhost/openapi.json',
  licence: 'not published',
  licence_url: 'http://localhost/openapi.json',
  attribution: 'Traffic Intelligence',
  commercial_use: 'no',
})
