import { inLanguage } from '../../api/main/describe/in-language.ts'
import { bilingual } from '../../api/main/describe/openapi.ts'

/** The description in English. */
export const openapi = (...about: Parameters<typeof bilingual>) => inLanguage(bilingual(...about), 'en')
