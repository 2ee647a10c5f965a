import { defineCodes } from '../../schema/codes.ts'

/** Under what a request was answered. */
export const USAGE_PLANS = defineCodes('usage_plan', 'Plan of the key of a request.', {
  ANONYMOUS: ['Sin clave', 'Without a key'],
  FREE: ['Gratuito', 'Free'],
  PRO: ['Pro', 'Pro'],
  ENTERPRISE: ['Empresa', 'Enterprise'],
})
