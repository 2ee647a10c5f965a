import type { ListedKey, NewKey } from '../../auth/accounts.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { codeBlock, contactLink, escaped, HTML, htmlPage, moment, PAGE_SECURITY } from '../site/html.ts'
import { jobsSection, type OwnJob, type OwnWebhook, webhooksSection } from './account-delivery-html.ts'
import { MAX_OVERLAP_H, OVERLAP_H } from './account-fields.ts'
import { button, dayName, scrollTable } from './account-forms.ts'
import type { KeyUsage } from './account-usage.ts'
import { usageSection } from './account-usage-html.ts'

/** Headers of every page of the account, which no cache keeps. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': HTML,
  'Cache-Control': 'no-store',
  ...PAGE_SECURITY,
})

const WORDS = inBoth({
  title: ['Sus claves', 'Your keys'],
  ask: [
    'Escriba su dirección de correo y le enviaremos un enlace para ver y gestionar sus claves.',
    'Type your e-mail address and we send you a link to see and manage your keys.',
  ],
  email: ['Correo electrónico', 'E-mail'],
  send: ['Enviar el enlace', 'Send the link'],
  noKey: ['¿Todavía sin clave?', 'No key yet?'],
  makeKey: ['Crear una clave gratuita', 'Make a free key'],
  settings: ['La cuenta', 'The account'],
  asked: [
    'Si esa dirección tiene claves, el enlace está en camino. Vale una sola vez, durante 30 minutos. A una dirección se envían como mucho cinco enlaces por hora y diez al día.',
    'If that address has keys, the link is on its way. It works once, for 30 minutes. One address is sent at most five links an hour and ten a day.',
  ],
  openIntro: [
    'Con este botón confirma su dirección y abre su cuenta durante una hora.',
    'This button confirms your address and opens your account for one hour.',
  ],
  open: ['Abrir mi cuenta', 'Open my account'],
  ended: [
    'El enlace ya se usó o ha caducado, o la sesión ha terminado. Pida otro enlace.',
    'The link was used or has expired, or the session has ended. Request another link.',
  ],
  keys: ['Claves', 'Keys'],
  none: ['No hay ninguna clave.', 'There is no key.'],
  columns: [
    ['Clave', 'Nombre', 'Plan', 'Estado', 'Creada', 'Último uso', 'Acciones'],
    ['Key', 'Name', 'Plan', 'State', 'Created', 'Last used', 'Actions'],
  ],
  unused: ['no en 30 días', 'not in 30 days'],
  plans: ['Qué incluye cada plan y cómo cambiarlo', 'What each plan includes and how to change it'],
  support: ['Soporte:', 'Support:'],
  until: ['hasta', 'until'],
  rotate: ['Renovar', 'Rotate'],
  hours: ['Horas que la clave anterior sigue valiendo', 'Hours that the former key still works'],
  revoke: ['Revocar', 'Revoke'],
  revokeAll: ['No son mías: revocar todas', 'Not mine: revoke all'],
  revokeAllIntro: [
    'Anula también los enlaces ya enviados y cierra las demás sesiones de esta cuenta.',
    'It also ends the links that were mailed and the other sessions of this account.',
  ],
  mails: ['Avisos de consumo', 'Usage mails'],
  mailsIntro: [
    'Un correo cuando una clave ha gastado el 80 % de las peticiones de un día y otro cuando las ha gastado todas.',
    'One mail when a key has used 80% of the requests of a day, and one when it has used them all.',
  ],
  mailsUsual: ['Se envían para claves de los planes PRO y ENTERPRISE.', 'They are sent for keys of the plans PRO and ENTERPRISE.'],
  mailsOn: ['Se envían para todas sus claves.', 'They are sent for all your keys.'],
  mailsOff: ['No se envían.', 'They are not sent.'],
  turnOn: ['Activar para todas las claves', 'Turn on for all keys'],
  turnOff: ['Desactivar', 'Turn off'],
  remove: ['Borrar la cuenta', 'Delete the account'],
  removeIntro: ['Revoca todas las claves y borra su dirección de correo.', 'Revokes all keys and deletes your e-mail address.'],
  sure: ['Sí, borrar mi cuenta y mi dirección', 'Yes, delete my account and my address'],
  leave: ['Salir', 'Leave'],
  leaveIntro: [
    'Al salir se cierran todas las sesiones abiertas de esta cuenta, también las de otros navegadores.',
    'Leaving ends every open session of this account, those in other browsers too.',
  ],
  newKey: ['Su clave nueva', 'Your new key'],
  once: ['Cópiela ahora: no se muestra nunca más.', 'Copy it now: it is never shown again.'],
  back: ['Volver a las claves', 'Back to the keys'],
  removed: [
    'La cuenta y la dirección de correo están borradas, y sus claves revocadas.',
    'The account and the e-mail address are deleted, and the keys revoked.',
  ],
  tooMany: ['Demasiadas peticiones. Vuelva a probar más tarde.', 'Too many requests. Try again later.'],
  status: [
    { ACTIVE: 'activa', ROTATING: 'se está renovando', REVOKED: 'revocada', EXPIRED: 'caducada' },
    { ACTIVE: 'active', ROTATING: 'being rotated', REVOKED: 'revoked', EXPIRED: 'expired' },
  ],
})

/** Renders the page that asks for an e-mail address; `notice` is the outcome of the previous request. */
export function askPage(language: Language, baseUrl: string, notice: 'asked' | 'ended' | 'removed' | 'tooMany' | null = null): string {
  const words = WORDS[language]
  return page(
    language,
    `${notice === null ? '' : `<p role="status">${words[notice]}</p>`}
<p class="lead">${words.ask}</p>
<form method="post"><input type="hidden" name="act" value="mail">
<label for="email">${words.email}</label><p class="send"><input id="email" type="email" name="email" autocomplete="email" required maxlength="254"><button>${words.send}</button></p></form>
<p>${words.noKey} <a href="/?lang=${language}#key">${words.makeKey}</a></p>`,
    { isWide: false, url: `${baseUrl}/account`, hasBoth: true },
  )
}

/** Renders the page behind a mailed link. Merely loading it, as mail programs do, does not use up the link. */
export function openPage(language: Language, token: string): string {
  const words = WORDS[language]
  return page(language, `<p class="lead">${words.openIntro}</p>\n${button(words.open, { act: 'open', token })}`, { isWide: false })
}

/** The data of an account's page. */
export interface AccountView {
  readonly keys: readonly ListedKey[]
  /** Whether the account wants usage mails; null if never set. */
  readonly usageMails: boolean | null
  /** Usage by key; null if it cannot be read now. */
  readonly usage: ReadonlyMap<string, KeyUsage> | null
  /** Null for an account whose plan has no webhooks. */
  readonly webhooks: readonly OwnWebhook[] | null
  readonly jobs: readonly OwnJob[]
  /** The address for support, as a URI; null if there is none. */
  readonly supportContact: string | null
}

/** Renders the keys of an account with their usage, its webhooks and export jobs, and all actions. */
export function accountPage(language: Language, view: AccountView): string {
  const words = WORDS[language]
  const { keys, usageMails, usage, webhooks, jobs, supportContact } = view
  const rows = keys.map((key) => cells(language, key, usage?.get(key.id) ?? null))
  const support = supportContact === null ? '' : ` · ${words.support} ${contactLink(supportContact)}`
  return page(
    language,
    `<section><h2>${words.keys}</h2>${rows.length === 0 ? `<p>${words.none}</p>` : scrollTable(words.keys, words.columns, rows)}
<p><a href="/plans?lang=${language}">${words.plans}</a>${support}</p></section>
${usageSection(language, keys, usage)}
${webhooks === null ? '' : webhooksSection(language, webhooks)}
${jobsSection(language, jobs)}
<section aria-labelledby="settings"><h2 id="settings">${words.settings}</h2><div class="grid settings">
<section class="card"><h3>${words.mails}</h3><p>${words.mailsIntro}</p>
<p>${usageMails === null ? words.mailsUsual : usageMails ? words.mailsOn : words.mailsOff}</p>
<div class="actions">${[
      usageMails === true ? '' : button(words.turnOn, { act: 'usage-mails', wanted: 'yes' }),
      usageMails === false ? '' : button(words.turnOff, { act: 'usage-mails', wanted: 'no' }),
    ].join(' ')}</div></section>
<section class="card"><h3>${words.leave}</h3><p>${words.leaveIntro}</p><div class="actions">${button(words.leave, { act: 'leave' })}</div></section>
<section class="card"><h3>${words.revokeAll}</h3><p>${words.revokeAllIntro}</p><div class="actions">${button(words.revokeAll, { act: 'revoke-all' })}</div></section>
<section class="card"><h3>${words.remove}</h3><p>${words.removeIntro}</p>
<form method="post"><input type="hidden" name="act" value="delete">
<p><label><input type="checkbox" name="sure" value="yes" required> ${words.sure}</label></p><button>${words.remove}</button></form></section></div></section>`,
    { hasBoth: true },
  )
}

/** Renders the only page that shows a key's text. */
export function newKeyPage(language: Language, made: NewKey): string {
  const words = WORDS[language]
  return page(
    language,
    `<section><h2>${words.newKey}</h2>${codeBlock(made.key)}<p><strong>${words.once}</strong></p></section>\n<p><a class="button quiet" href="/account?lang=${language}">${words.back}</a></p>`,
    { isWide: false },
  )
}

function cells(language: Language, key: ListedKey, usage: KeyUsage | null): string[] {
  const words = WORDS[language]
  const { id, hint, label, plan, status, created_at, ends_at } = key
  const until = ends_at === null ? '' : ` ${words.until} ${moment(ends_at, language)}`
  const hours = `<label>${words.hours} <input type="number" name="overlap_hours" value="${OVERLAP_H}" min="0" max="${MAX_OVERLAP_H}" required></label> `
  const works = status === 'ACTIVE' || status === 'ROTATING'
  const acts = [
    status === 'ACTIVE' ? button(words.rotate, { act: 'rotate', id }, hours) : '',
    works ? button(words.revoke, { act: 'revoke', id }) : '',
  ]
  return [
    `<code>${escaped(hint.first)}…${escaped(hint.last)}</code>`,
    escaped(label ?? ''),
    plan,
    `${words.status[status]}${until}`,
    moment(created_at, language),
    usage === null ? '—' : usage.last_used === null ? words.unused : dayName(usage.last_used, language),
    acts.join('<br>'),
  ]
}

/** Renders a page in the frame. Only the one that anybody may see has an address; the one of a new key cannot be loaded again. */
function page(
  language: Language,
  body: string,
  { isWide = true, hasBoth = false, ...address }: { readonly isWide?: boolean; readonly hasBoth?: boolean; readonly url?: string } = {},
): string {
  const { title, ask: about } = WORDS[language]
  return htmlPage(language, { title, about, body, path: '/account', isWide, hasBoth, styles: ['account.css'], ...address })
}
