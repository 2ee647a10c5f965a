import type { Language } from '../../kernel/language.ts'

/** Reason of a mail: a key was made, a fourth was requested, or the owner wants to manage the keys. */
export type MailReason = 'key-made' | 'limit-reached' | 'manage'

interface Text {
  readonly subject: string
  readonly text: string
}

/** Returns the mail about a daily limit that is used up, or nearly. */
export function usageMail(
  language: Language,
  used: { readonly level: number; readonly limit: number; readonly key: string; readonly page: string },
): Text {
  const { level, key, page } = used
  const limit = used.limit.toLocaleString(language === 'es' ? 'es-ES' : 'en-GB', { useGrouping: 'always' })
  const isAll = level >= 100
  if (language === 'es')
    return {
      subject: `Su clave ${key} ha gastado el ${level} % de las peticiones de un día`,
      text: [
        `La clave ${key} de la API de Traffic Intelligence ha gastado el ${level} % de las ${limit} peticiones que su plan admite en 24 horas.`,
        isAll
          ? 'Las peticiones siguientes se rechazan con 429 hasta que pasen 24 horas de las primeras; Retry-After dice cuándo.'
          : 'Cuando se gasten todas, las siguientes se rechazarán con 429 hasta que pasen 24 horas de las primeras.',
        `En ${page} puede gestionar sus claves y desactivar estos avisos. Se envía como mucho uno de cada por clave y día.`,
      ].join('\n\n'),
    }
  return {
    subject: `Your key ${key} has used ${level}% of the requests of a day`,
    text: [
      `The key ${key} of the Traffic Intelligence API has used ${level}% of the ${limit} requests that its plan admits in 24 hours.`,
      isAll
        ? 'Further requests are refused with 429 until 24 hours have passed since the first ones; Retry-After says when.'
        : 'When all are used, further ones are refused with 429 until 24 hours have passed since the first ones.',
      `At ${page} you can manage your keys and turn these mails off. At most one of each is sent per key and day.`,
    ].join('\n\n'),
  }
}

/** Returns the mail with a link to the account. `until_days`: days that the keys work without confirmation; null: for ever. */
export function linkMail(
  reason: MailReason,
  { language, link, until_days }: { readonly language: Language; readonly link: string; readonly until_days: number | null },
): Text {
  const { why, use, until, notYou } = LINK_TEXTS[language]
  const [subject, first] = why[reason]
  const paragraphs = [first, `${use}\n\n${link}`, ...(until_days === null ? [] : [until(until_days)]), notYou]
  return { subject, text: paragraphs.join('\n\n') }
}

const LINK_TEXTS = {
  es: {
    why: {
      'key-made': ['Su clave de Traffic Intelligence', 'Se ha creado una clave de la API de Traffic Intelligence para esta dirección.'],
      'limit-reached': [
        'Sus claves de Traffic Intelligence',
        'Se ha pedido otra clave de la API de Traffic Intelligence para esta dirección, que ya tiene tres gratuitas. No se ha creado ninguna.',
      ],
      manage: ['Sus claves de Traffic Intelligence', 'Se ha pedido un enlace para gestionar las claves de esta dirección.'],
    },
    use: 'Con este enlace puede confirmar la dirección y ver, renovar o revocar sus claves, o borrar la cuenta. Vale una sola vez, durante 30 minutos:',
    until: (days: number) =>
      `Si no confirma la dirección abriendo el enlace, las claves dejarán de funcionar ${days} días después de crearse.`,
    notYou: 'Si no ha sido usted, abra el enlace y elija «No son mías: revocar todas», o ignore este mensaje.',
  },
  en: {
    why: {
      'key-made': ['Your Traffic Intelligence key', 'A key of the Traffic Intelligence API was made for this address.'],
      'limit-reached': [
        'Your Traffic Intelligence keys',
        'Another key of the Traffic Intelligence API was requested for this address, which already has three free ones. None was made.',
      ],
      manage: ['Your Traffic Intelligence keys', 'A link to manage the keys of this address was requested.'],
    },
    use: 'With this link you can confirm the address and see, rotate or revoke your keys, or delete the account. It works once, for 30 minutes:',
    until: (days: number) => `Unless you confirm the address by opening the link, keys stop working ${days} days after they were made.`,
    notYou: 'If this was not you, open the link and choose “Not mine: revoke all”, or ignore this message.',
  },
} as const
