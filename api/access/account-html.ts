import { escaped, HTML, htmlPage, PAGE_SECURITY } from '../web/html.ts'
import { OVERLAP_H, OVERLAP_MOST_H } from './account-fields.ts'
import type { Language, ListedKey, NewKey } from './accounts.ts'
import type { KeyStatus } from './slots.ts'

/** Headers of every page of the account, which are kept in no cache. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': HTML,
  'Cache-Control': 'no-store',
  ...PAGE_SECURITY,
})

interface Words {
  readonly title: string
  readonly ask: string
  readonly email: string
  readonly send: string
  readonly asked: string
  readonly openIntro: string
  readonly open: string
  readonly ended: string
  readonly keys: string
  readonly none: string
  readonly columns: readonly [string, string, string, string, string]
  readonly until: string
  readonly rotate: string
  readonly hours: string
  readonly revoke: string
  readonly revokeAll: string
  readonly revokeAllIntro: string
  readonly mails: string
  readonly mailsIntro: string
  readonly mailsUsual: string
  readonly mailsOn: string
  readonly mailsOff: string
  readonly turnOn: string
  readonly turnOff: string
  readonly remove: string
  readonly removeIntro: string
  readonly sure: string
  readonly leave: string
  readonly leaveIntro: string
  readonly newKey: string
  readonly once: string
  readonly back: string
  readonly removed: string
  readonly tooMany: string
  readonly status: Readonly<Record<KeyStatus, string>>
}

const WORDS: Readonly<Record<Language, Words>> = {
  es: {
    title: 'Sus claves',
    ask: 'Escriba su dirección de correo y le enviaremos un enlace para ver y gestionar sus claves.',
    email: 'Correo electrónico',
    send: 'Enviar el enlace',
    asked: 'Si esa dirección tiene claves, el enlace está en camino. Vale una sola vez, durante 30 minutos.',
    openIntro: 'Con este botón confirma su dirección y abre su cuenta durante una hora.',
    open: 'Abrir mi cuenta',
    ended: 'El enlace ya se usó o ha caducado, o la sesión ha terminado. Pida otro enlace.',
    keys: 'Claves',
    none: 'No hay ninguna clave.',
    columns: ['Clave', 'Nombre', 'Plan', 'Estado', 'Acciones'],
    until: 'hasta',
    rotate: 'Renovar',
    hours: 'Horas que la clave anterior sigue valiendo',
    revoke: 'Revocar',
    revokeAll: 'No son mías: revocar todas',
    revokeAllIntro: 'Anula también los enlaces ya enviados y cierra las demás sesiones de esta cuenta.',
    mails: 'Avisos de consumo',
    mailsIntro: 'Un correo cuando una clave ha gastado el 80 % de las peticiones de un día y otro cuando las ha gastado todas.',
    mailsUsual: 'Se envían para claves de los planes PRO y ENTERPRISE.',
    mailsOn: 'Se envían para todas sus claves.',
    mailsOff: 'No se envían.',
    turnOn: 'Activar para todas las claves',
    turnOff: 'Desactivar',
    remove: 'Borrar la cuenta',
    removeIntro: 'Revoca todas las claves y borra su dirección de correo.',
    sure: 'Sí, borrar mi cuenta y mi dirección',
    leave: 'Salir',
    leaveIntro: 'Al salir se cierran todas las sesiones abiertas de esta cuenta, también las de otros navegadores.',
    newKey: 'Su clave nueva',
    once: 'Cópiela ahora: no se muestra nunca más.',
    back: 'Volver a las claves',
    removed: 'La cuenta y la dirección de correo están borradas, y sus claves revocadas.',
    tooMany: 'Demasiadas peticiones. Vuelva a probar más tarde.',
    status: { ACTIVE: 'activa', ROTATING: 'se está renovando', REVOKED: 'revocada', EXPIRED: 'caducada' },
  },
  en: {
    title: 'Your keys',
    ask: 'Type your e-mail address and we send you a link to see and manage your keys.',
    email: 'E-mail',
    send: 'Send the link',
    asked: 'If that address has keys, the link is on its way. It works once, for 30 minutes.',
    openIntro: 'With this button you confirm your address and open your account for one hour.',
    open: 'Open my account',
    ended: 'The link was used or is over, or the session has ended. Ask for another link.',
    keys: 'Keys',
    none: 'There is no key.',
    columns: ['Key', 'Name', 'Plan', 'State', 'Actions'],
    until: 'until',
    rotate: 'Rotate',
    hours: 'Hours that the former key still works',
    revoke: 'Revoke',
    revokeAll: 'Not mine: revoke all',
    revokeAllIntro: 'It also ends the links that were mailed and the other sessions of this account.',
    mails: 'Usage mails',
    mailsIntro: 'One mail when a key has used 80% of the requests of a day, and one when it has used them all.',
    mailsUsual: 'They are sent for keys of the plans PRO and ENTERPRISE.',
    mailsOn: 'They are sent for all your keys.',
    mailsOff: 'They are not sent.',
    turnOn: 'Turn on for all keys',
    turnOff: 'Turn off',
    remove: 'Delete the account',
    removeIntro: 'Revokes all keys and deletes your e-mail address.',
    sure: 'Yes, delete my account and my address',
    leave: 'Leave',
    leaveIntro: 'Leaving ends every open session of this account, those in other browsers too.',
    newKey: 'Your new key',
    once: 'Copy it now: it is never shown again.',
    back: 'Back to the keys',
    removed: 'The account and the e-mail address are deleted, and the keys revoked.',
    tooMany: 'Too many requests. Try again later.',
    status: { ACTIVE: 'active', ROTATING: 'being rotated', REVOKED: 'revoked', EXPIRED: 'expired' },
  },
}

/** The page that asks for an address; `notice` says what came of the request before. */
export function askPage(language: Language, notice: 'asked' | 'ended' | 'removed' | 'tooMany' | null = null): string {
  const words = WORDS[language]
  return page(
    language,
    `${notice === null ? '' : `<p role="status">${words[notice]}</p>`}
<p>${words.ask}</p>
<form method="post" action="/account"><input type="hidden" name="act" value="mail">
<p><label>${words.email} <input type="email" name="email" autocomplete="email" required maxlength="254"></label> <button>${words.send}</button></p></form>`,
  )
}

/** The page behind a mailed link: looking at it, as mail programs do, uses nothing. */
export function openPage(language: Language, token: string): string {
  const words = WORDS[language]
  return page(language, `<p>${words.openIntro}</p>\n${button(words.open, { act: 'open', token })}`)
}

/** The keys of an account and what can be done; `usageMails` is whether it wants mails when a day is used, null where nobody has said. */
export function accountPage(language: Language, keys: readonly ListedKey[], usageMails: boolean | null): string {
  const words = WORDS[language]
  const rows = keys.map((key) => `<tr>${cells(words, key)}</tr>`)
  const table = `<table><thead><tr>${words.columns.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`
  return page(
    language,
    `<section><h2>${words.keys}</h2>${rows.length === 0 ? `<p>${words.none}</p>` : table}</section>
<section>${button(words.revokeAll, { act: 'revoke-all' })} ${words.revokeAllIntro}</section>
<section>${button(words.leave, { act: 'leave' })} ${words.leaveIntro}</section>
<section><h2>${words.mails}</h2><p>${words.mailsIntro}</p>
<p>${usageMails === null ? words.mailsUsual : usageMails ? words.mailsOn : words.mailsOff}</p>
${[
  usageMails === true ? '' : button(words.turnOn, { act: 'usage-mails', wanted: 'yes' }),
  usageMails === false ? '' : button(words.turnOff, { act: 'usage-mails', wanted: 'no' }),
].join(' ')}</section>
<section><h2>${words.remove}</h2><p>${words.removeIntro}</p>
<form method="post" action="/account"><input type="hidden" name="act" value="delete">
<p><label><input type="checkbox" name="sure" value="yes" required> ${words.sure}</label></p><button>${words.remove}</button></form></section>`,
  )
}

/** The one page that shows a key. */
export function newKeyPage(language: Language, made: NewKey): string {
  const words = WORDS[language]
  return page(
    language,
    `<section><h2>${words.newKey}</h2><p><code>${escaped(made.key)}</code></p><p>${words.once}</p></section>\n<p><a href="/account">${words.back}</a></p>`,
  )
}

function cells(words: Words, { id, hint, label, plan, status, ends_at }: ListedKey): string {
  const until = ends_at === null ? '' : ` ${words.until} ${new Date(ends_at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const hours = `<label>${words.hours} <input type="number" name="overlap_hours" value="${OVERLAP_H}" min="0" max="${OVERLAP_MOST_H}" required></label> `
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
    acts.join(' '),
  ]
    .map((cell) => `<td>${cell}</td>`)
    .join('')
}

function button(name: string, values: Readonly<Record<string, string>>, before = ''): string {
  const hidden = Object.entries(values).map(([key, value]) => `<input type="hidden" name="${key}" value="${escaped(value)}">`)
  return `<form method="post" action="/account">${hidden.join('')}${before}<button>${name}</button></form>`
}

function page(language: Language, body: string): string {
  return htmlPage(language, { title: WORDS[language].title, body })
}
