import type { IncomingMessage } from 'node:http'
import type { Failed } from '../../engine/replies/problem-replies.ts'
import { acceptedType } from '../../kernel/http/representation.ts'
import { type Language, languageOf } from '../../kernel/language.ts'
import { PROBLEMS, type ProblemCode } from '../../kernel/problems.ts'
import { escaped, HTML, htmlPage, PAGE_SECURITY } from './html.ts'

/** The name of every problem in Spanish, and how a caller can solve it. */
const SPANISH: Readonly<Record<ProblemCode, readonly [title: string, help: string]>> = {
  'webhook-limit-reached': [
    'La cuenta tiene todos los webhooks que puede tener',
    'Borre uno antes, o haga que un receptor reciba más tipos de eventos.',
  ],
  'unsafe-webhook-url': ['A esa URL no se envían eventos', 'Use una dirección https:// de la internet pública, en el puerto 443 o 8443.'],
  'invalid-parameter': [
    'Un parámetro tiene un valor no permitido',
    'Vea errors[]: cada uno nombra el parámetro, el valor y lo que se permite.',
  ],
  'unknown-parameter': [
    'La ruta no tiene ese parámetro',
    'Revise cómo está escrito; errors[] propone el nombre más parecido y lista los que hay.',
  ],
  'invalid-cursor': [
    'El cursor no sirve',
    'Empiece de nuevo sin cursor: ha caducado, está alterado o es de una petición con otros filtros u otro orden.',
  ],
  'range-too-large': ['El periodo es más largo de lo que una petición puede pedir', 'Pida un periodo más corto o un intervalo más amplio.'],
  'malformed-request': ['La petición no es HTTP correcto o su URL no se puede decodificar', 'Revise la codificación de la URL.'],
  'key-required': ['Hace falta una clave', 'Envíe una clave en la cabecera X-API-Key; POST /api/keys da una.'],
  'invalid-key': [
    'No existe esa clave',
    'Revise la clave: tiene 40 caracteres y empieza por tia_. A una clave equivocada no se le responde nada que se respondería sin ella.',
  ],
  'revoked-key': ['La clave está revocada', 'Cree otra con POST /api/keys.'],
  'expired-key': [
    'La clave ha caducado',
    'Se renovó, o su dirección de correo no se confirmó a tiempo. Use la nueva o cree otra con POST /api/keys.',
  ],
  'plan-required': [
    'El plan de la clave no incluye esto',
    'required_plan lo incluye y current_plan es el de la clave; upgrade_url es la página de los planes y de cómo cambiar el suyo. GET /api/plans dice qué incluye cada uno.',
  ],
  'https-required': [
    'Esto ha llegado por HTTP sin cifrar',
    'Pida por https. A HTTP sin cifrar no se responde nada ni se redirige: lo enviado se pudo leer por el camino. Una clave que se haya enviado así conviene renovarla, con POST /api/keys/{id}/rotate, por https.',
  ],
  'signature-expired': [
    'La URL firmada ya no es válida',
    'Pida de nuevo el manifiesto del conjunto de datos: sus URL valen al menos 15 minutos.',
  ],
  'snapshot-expired': [
    'Esa instantánea ya no se conserva',
    'Todas se conservan 24 horas y la última de cada hora, 7 días. nearest_snapshot nombra la más cercana que se conserva.',
  ],
  'foreign-origin': [
    'Esto lo ha enviado una página de otro sitio',
    'A las páginas de otros sitios no se les toca ninguna cuenta ni se les hace ninguna clave. Use las páginas de este servicio en la dirección por la que se conoce, o una clave.',
  ],
  'not-found': ['Aquí no hay nada', 'Revise la ruta y el identificador; GET /openapi.json lista todas las rutas.'],
  'no-data-yet': [
    'Todavía no hay datos de esto',
    'missing nombra los conjuntos de datos que faltan y waits_for lo que tiene que ocurrir antes; pruebe de nuevo pasados los segundos de Retry-After. /api/freshness dice cómo está cada fuente.',
  ],
  'method-not-allowed': ['La ruta no admite ese método', 'La cabecera Allow lista los que admite.'],
  'not-acceptable': [
    'No hay ninguna representación que la petición acepte',
    'Envíe una cabecera Accept con uno de los tipos que se listan, o ninguna.',
  ],
  'request-timeout': ['La petición no llegó a tiempo', 'Envíela de nuevo por una conexión mejor.'],
  conflict: ['El estado actual no lo permite', 'El campo detail dice qué lo impide.'],
  gone: ['La ruta se ha retirado', 'Respondió hasta el día de la cabecera Sunset; /changelog dice por qué se retiró y qué la sustituye.'],
  'payload-too-large': ['El cuerpo de la petición es demasiado grande', 'Envíe menos; las peticiones de datos no llevan cuerpo.'],
  'uri-too-long': ['La URL es demasiado larga', 'Pida menos identificadores a la vez.'],
  'range-not-satisfiable': ['El rango está fuera del fichero', 'Content-Range indica cuántos bytes tiene el fichero.'],
  'expectation-failed': ['La cabecera Expect pide algo que no se ofrece', 'Envíe Expect: 100-continue, o ninguna.'],
  'unsupported-media-type': ['El cuerpo de la petición es de un tipo que no se admite', 'Envíe application/json.'],
  'idempotency-key-reused': [
    'La Idempotency-Key se envió con otra petición',
    'Envíe una clave nueva, por ejemplo un UUID, con cada petición nueva; repita una clave solo para repetir la petición.',
  ],
  'key-limit-reached': [
    'La dirección de correo ya tiene todas las claves que puede tener',
    'Revoque una antes: con la propia clave o con el enlace que se envía a la dirección.',
  ],
  'quota-exceeded': [
    'Se ha alcanzado un límite',
    'Pruebe de nuevo pasados los segundos de Retry-After; violated-policies nombra el límite.',
  ],
  concurrency: [
    'Demasiadas consultas de datos históricos a la vez',
    'Espere una respuesta antes de pedir otra; GET /api/plans dice cuántas puede haber en marcha.',
  ],
  'headers-too-large': ['Las cabeceras de la petición son demasiado grandes', 'Envíe menos cabeceras o más cortas.'],
  internal: ['Algo ha fallado por nuestra parte', 'Pruebe de nuevo; si continúa, díganos el request_id.'],
  'query-timeout': ['La consulta tardaba demasiado y se ha detenido', 'Pida un periodo más corto o menos series, o pruebe más tarde.'],
  'temporary-reduced-capacity': [
    'En este momento hay demasiadas consultas en marcha',
    'Pruebe de nuevo pasados los segundos de Retry-After.',
  ],
  'insufficient-storage': [
    'El almacén de datos está lleno',
    'Por ahora no se puede escribir nada; los datos se pueden leer. Inténtelo más tarde.',
  ],
  'feed-unavailable': [
    'Los datos no se pueden leer en este momento',
    'Hubo datos buenos, pero ahora no se pueden leer o están anticuados. Pruebe de nuevo pasados los segundos de Retry-After; /status y /api/freshness dicen más.',
  ],
}

/** Renders the page of a problem's `type`. */
export function problemPage(code: ProblemCode, language: Language, url: string): string {
  const { status, ...english } = PROBLEMS[code]
  const [title, help] = language === 'es' ? SPANISH[code] : [english.title, english.help]
  const state = language === 'es' ? 'estado HTTP' : 'HTTP status'
  const body = `<p><code>${code}</code>, ${state} ${status}.</p>\n<p>${escaped(help)}</p>`
  return htmlPage(language, { title, about: help, body, url })
}

const WAYS_ON = {
  es: [
    ['/', 'Inicio'],
    ['/map', 'Mapa'],
    ['/datasets', 'Conjuntos de datos'],
    ['/docs', 'Documentación'],
    ['/status', 'Estado del servicio'],
  ],
  en: [
    ['/', 'Start page'],
    ['/map', 'Map'],
    ['/datasets', 'Datasets'],
    ['/docs', 'Documentation'],
    ['/status', 'State of the service'],
  ],
} as const

/** Paths of programs, which get problems whatever they accept. */
const OF_PROGRAMS = /^\/(api|lake|schemas|mcp|openapi)\b/

/**
 * Renders what a person gets whose request of a page failed, in the browser's language, with its headers. Null if the request is
 * of a program, or prefers JSON to HTML.
 */
export function failedPage(
  { url = '/', method, headers }: IncomingMessage,
  { code, detail, request_id, retry_after_s }: Failed,
): { html: string; headers: Record<string, string> } | null {
  if ((method !== 'GET' && method !== 'HEAD') || OF_PROGRAMS.test(url)) return null
  const types = { json: 'application/json', problem: 'application/problem+json', html: 'text/html' }
  if (acceptedType(headers.accept, types) !== 'html') return null
  const language = (/[?&]lang=(es|en)(&|$)/.exec(url)?.[1] ?? languageOf({ headers })) as Language
  const [title, help] = language === 'es' ? SPANISH[code] : [PROBLEMS[code].title, PROBLEMS[code].help]
  const wait =
    retry_after_s === null ? '' : `<p>${language === 'es' ? 'Vuelva a probar en' : 'Try again in'} ${Math.ceil(retry_after_s)} s.</p>`
  const ways = WAYS_ON[language].map(([path, name]) => `<li><a href="${path}?lang=${language}">${name}</a></li>`)
  const body = `<p>${escaped(help)}</p>${wait}
<p lang="en">${escaped(detail)}</p>
<ul>${ways.join('')}</ul>
<p class="note">HTTP ${PROBLEMS[code].status}, <code>${code}</code>, <code>${escaped(request_id)}</code></p>`
  return {
    html: htmlPage(language, { title, about: help, body }),
    headers: { 'Content-Type': HTML, 'Content-Language': language, Vary: 'Accept, Accept-Language', ...PAGE_SECURITY },
  }
}
