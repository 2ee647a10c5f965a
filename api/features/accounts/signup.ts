import type { FastifyInstance } from 'fastify'
import type { SourceMode } from '../../../lake/system.ts'
import type { AccountParts } from '../../auth/account-parts.ts'
import { type BodyField, readBody, takeForms } from '../../auth/bodies.ts'
import { makeKeyFor } from '../../auth/keys/make-key.ts'
import type { PlanTable } from '../../auth/plans.ts'
import { LANGUAGES, type Language, languageOf } from '../../kernel/language.ts'
import type { Problem } from '../../kernel/problems.ts'
import type { Home } from '../site/home.ts'
import { keyMadePage, type SignupNotice, startPage } from '../site/start-page.ts'
import { EMAIL } from './account-fields.ts'
import { PAGE_HEADERS } from './account-html.ts'

/** What the form for a key works with. */
export interface SignupParts extends AccountParts {
  readonly plans: PlanTable
  readonly home: Pick<Home, 'content'>
  readonly state: { readonly mode: SourceMode }
}

const URL_PATH = '/signup'
const MAX_BODY = 4096
/** Problems that the page shows as a notice, because a person sent the form. */
const NOTICES: Readonly<Record<string, SignupNotice>> = { 'quota-exceeded': 'tooMany', 'key-limit-reached': 'full' }

/** The typed text is shown again with what is wrong. */
const TEXT: BodyField<string> = { expected: 'a text', read: String, fallback: '', isPrivate: true }
const LANG: BodyField<Language | null> = {
  expected: LANGUAGES.join(' or '),
  read: (value) => LANGUAGES.find((language) => language === value),
  fallback: null,
  allowed: LANGUAGES,
}

/** Registers the target of the start page's form: it answers with the key, or with the form and the mistakes. */
export function registerSignup(app: FastifyInstance, parts: SignupParts): void {
  const { plans, home, baseUrl, sessions, state } = parts
  const config = { isSameOrigin: true }
  void app.register(async (scope) => {
    takeForms(scope)
    scope.route({
      method: 'POST',
      url: URL_PATH,
      config,
      bodyLimit: MAX_BODY,
      handler: async ({ raw, body }, reply) => {
        sessions.refuseForeign(raw)
        const { email: text, lang } = readBody(body, { email: TEXT, lang: LANG })
        const language = lang ?? languageOf(raw)
        const again = async (status: number, notice: SignupNotice): Promise<string> => {
          reply.code(status)
          return startPage(language, {
            content: await home.content(),
            plans,
            baseUrl: baseUrl(),
            mode: state.mode,
            notice,
            email: text.slice(0, 254),
          })
        }
        reply.headers(PAGE_HEADERS)
        const email = EMAIL.read(text)
        if (email === undefined) return await again(400, 'email')
        try {
          const { key } = await makeKeyFor(parts, { raw, email, label: null, language })
          reply.code(201)
          return keyMadePage(language, { key, baseUrl: baseUrl() })
        } catch (error) {
          const { code = '', status = 500, options } = error as Partial<Problem>
          const notice = NOTICES[code]
          if (!notice) throw error
          if (options?.retry_after_s !== undefined) reply.header('Retry-After', String(Math.ceil(options.retry_after_s)))
          return await again(status, notice)
        }
      },
    })
  })
}
