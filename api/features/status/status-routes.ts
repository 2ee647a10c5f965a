import type { FastifyInstance } from 'fastify'
import { cachedDocument, described, registerDocument } from '../../engine/replies/documents.ts'
import type { MadeResponse } from '../../engine/replies/responses.ts'
import { queryReader } from '../../engine/request/request.ts'
import { acceptedType } from '../../kernel/http/representation.ts'
import { languageOf } from '../../kernel/language.ts'
import { oneOf, param } from '../../kernel/params/params.ts'
import { InvalidParam, problem } from '../../kernel/problems.ts'
import { HTML, PAGE_LANG, PAGE_SECURITY } from '../site/html.ts'
import { FRESH_S, type StatusReport } from './report.ts'
import { statusPage } from './status-page.ts'
import { statusReply } from './status-reply.ts'

/** Parameters of the state of the service. */
export const STATUS_PARAMS = Object.freeze({
  lang: PAGE_LANG,
  format: oneOf('`html` for people or `json` for programs. By default what Accept prefers.', ['html', 'json']),
  month: param({
    about: 'Month (UTC) whose availability is shown, as YYYY-MM: the current one, the default, or one of the twelve before it.',
    schema: { type: 'string', pattern: '^[12][0-9]{3}-(0[1-9]|1[0-2])$' },
    parse: (text) => {
      if (!/^[12]\d{3}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidParam('expected a month, such as 2026-01')
      return text
    },
  }),
})

const readStatus = queryReader(STATUS_PARAMS)

/** Registers the state of the service, for people and for programs. */
export function registerStatus(
  app: FastifyInstance,
  {
    report,
    clock,
    baseUrl,
  }: {
    readonly report: (month: string | null) => Promise<StatusReport>
    readonly clock: () => number
    readonly baseUrl: () => string
  },
): void {
  /** Each form of a report is made once. */
  const made = new WeakMap<StatusReport, Map<string, Promise<MadeResponse>>>()
  registerDocument(app, {
    url: '/status',
    clock,
    find: async ({ raw }) => {
      const { lang, format, month } = readStatus(raw.url ?? '/')
      const language = lang ?? languageOf(raw)
      const form = format ?? acceptedType(raw.headers.accept, { html: 'text/html', json: 'application/json' })
      if (form === null)
        throw problem('not-acceptable', 'The Accept header takes none of the media types of this path: text/html, application/json.')
      const shown = await report(month)
      const forms = made.get(shown) ?? new Map<string, Promise<MadeResponse>>()
      made.set(shown, forms)
      const name = `${form} ${language}`
      const making =
        forms.get(name) ??
        (form === 'json'
          ? described(statusReply(shown, language), language, FRESH_S)
          : cachedDocument({
              text: statusPage(shown, language, `${baseUrl()}/status`),
              content_type: HTML,
              language,
              headers: PAGE_SECURITY,
              fresh_s: FRESH_S,
            }))
      forms.set(name, making)
      return making
    },
  })
}
