import type { Language } from '../../kernel/language.ts'
import { PROBLEMS, type ProblemCode } from '../../kernel/problems.ts'
import { escaped, htmlPage, pageLinks } from './html.ts'

interface Text {
  readonly title: string
  readonly help: string
}

/** The name of every problem in Spanish, and how a caller can solve it. */
const SPANISH: Readonly<Record<ProblemCode, Text>> = {
  'webhook-limit-reached': {
    title: 'La cuenta tiene todos los webhooks que puede tener',
    help: 'Borre uno antes, o haga que un receptor reciba más tipos de eventos.',
  },
  'unsafe-webhook-url': {
    title: 'A esa URL no se envían eventos',
    help: 'Use una dirección https:// de la internet pública, en el puerto 443 o 8443.',
  },
  'invalid-parameter': {
    title: 'Un parámetro tiene un valor no permitido',
    help: 'Vea errors[]: cada uno nombra el parámetro, el valor y lo que se permite.',
  },
  'unknown-parameter': {
    title: 'La ruta no tiene ese parámetro',
    help: 'Revise cómo está escrito; errors[] propone el nombre más parecido y lista los que hay.',
  },
  'invalid-cursor': {
    title: 'El cursor no sirve',
    help: 'Empiece de nuevo sin cursor: ha caducado, está alterado o es de una petición con otros filtros u otro orden.',
  },
  'range-too-large': {
    title: 'El periodo es más largo de lo que una petición puede pedir',
    help: 'Pida un periodo más corto o un intervalo más amplio.',
  },
  'malformed-request': {
    title: 'La petición no es HTTP correcto o su URL no se puede decodificar',
    help: 'Revise la codificación de la URL.',
  },
  'key-required': {
    title: 'Hace falta una clave',
    help: 'Envíe una clave en la cabecera X-API-Key; POST /api/keys da una.',
  },
  'invalid-key': {
    title: 'No existe esa clave',
    help: 'Revise la clave: tiene 40 caracteres y empieza por tia_. A una clave equivocada no se le responde nada que se respondería sin ella.',
  },
  'revoked-key': { title: 'La clave está revocada', help: 'Cree otra con POST /api/keys.' },
  'expired-key': {
    title: 'La clave ha caducado',
    help: 'Se renovó, o su dirección de correo no se confirmó a tiempo. Use la nueva o cree otra con POST /api/keys.',
  },
  'plan-required': {
    title: 'El plan de la clave no incluye esto',
    help: 'required_plan lo incluye y current_plan es el de la clave; upgrade_url es la página de los planes y de cómo cambiar el suyo. GET /api/plans dice qué incluye cada uno.',
  },
  'https-required': {
    title: 'Esto ha llegado por HTTP sin cifrar',
    help: 'Pida por https. A HTTP sin cifrar no se responde nada ni se redirige: lo enviado se pudo leer por el camino. Una clave que se haya enviado así conviene renovarla, con POST /api/keys/{id}/rotate, por https.',
  },
  'signature-expired': {
    title: 'La URL firmada ya no es válida',
    help: 'Pida de nuevo el manifiesto del conjunto de datos: sus URL valen al menos 15 minutos.',
  },
  'snapshot-expired': {
    title: 'Esa instantánea ya no se conserva',
    help: 'Todas se conservan 24 horas y la última de cada hora, 7 días. nearest_snapshot nombra la más cercana que se conserva.',
  },
  'foreign-origin': {
    title: 'Esto lo ha enviado una página de otro sitio',
    help: 'A las páginas de otros sitios no se les toca ninguna cuenta ni se les hace ninguna clave. Use las páginas de este servicio en la dirección por la que se conoce, o una clave.',
  },
  'not-found': { title: 'Aquí no hay nada', help: 'Revise la ruta y el identificador; GET /openapi.json lista todas las rutas.' },
  'no-data-yet': {
    title: 'Todavía no hay datos de esto',
    help: 'missing nombra los conjuntos de datos que faltan y waits_for lo que tiene que ocurrir antes; pruebe de nuevo pasados los segundos de Retry-After. /api/freshness dice cómo está cada fuente.',
  },
  'method-not-allowed': { title: 'La ruta no admite ese método', help: 'La cabecera Allow lista los que admite.' },
  'not-acceptable': {
    title: 'No hay ninguna representación que la petición acepte',
    help: 'Envíe una cabecera Accept con uno de los tipos que se listan, o ninguna.',
  },
  'request-timeout': { title: 'La petición no llegó a tiempo', help: 'Envíela de nuevo por una conexión mejor.' },
  conflict: { title: 'El estado actual no lo permite', help: 'El campo detail dice qué lo impide.' },
  gone: {
    title: 'La ruta se ha retirado',
    help: 'Respondió hasta el día de la cabecera Sunset; /changelog dice por qué se retiró y qué la sustituye.',
  },
  'payload-too-large': {
    title: 'El cuerpo de la petición es demasiado grande',
    help: 'Envíe menos; las peticiones de datos no llevan cuerpo.',
  },
  'uri-too-long': { title: 'La URL es demasiado larga', help: 'Pida menos identificadores a la vez.' },
  'range-not-satisfiable': {
    title: 'El rango está fuera del fichero',
    help: 'Content-Range indica cuántos bytes tiene el fichero.',
  },
  'expectation-failed': { title: 'La cabecera Expect pide algo que no se ofrece', help: 'Envíe Expect: 100-continue, o ninguna.' },
  'unsupported-media-type': {
    title: 'El cuerpo de la petición es de un tipo que no se admite',
    help: 'Envíe application/json.',
  },
  'idempotency-key-reused': {
    title: 'La Idempotency-Key se envió con otra petición',
    help: 'Envíe una clave nueva, por ejemplo un UUID, con cada petición nueva; repita una clave solo para repetir la petición.',
  },
  'key-limit-reached': {
    title: 'La dirección de correo ya tiene todas las claves que puede tener',
    help: 'Revoque una antes: con la propia clave o con el enlace que se envía a la dirección.',
  },
  'quota-exceeded': {
    title: 'Se ha alcanzado un límite',
    help: 'Pruebe de nuevo pasados los segundos de Retry-After; violated-policies nombra el límite.',
  },
  concurrency: {
    title: 'Demasiadas consultas de datos históricos a la vez',
    help: 'Espere una respuesta antes de pedir otra; GET /api/plans dice cuántas puede haber en marcha.',
  },
  'headers-too-large': { title: 'Las cabeceras de la petición son demasiado grandes', help: 'Envíe menos cabeceras o más cortas.' },
  internal: { title: 'Algo ha fallado por nuestra parte', help: 'Pruebe de nuevo; si continúa, díganos el request_id.' },
  'query-timeout': {
    title: 'La consulta tardaba demasiado y se ha detenido',
    help: 'Pida un periodo más corto o menos series, o pruebe más tarde.',
  },
  'temporary-reduced-capacity': {
    title: 'En este momento hay demasiadas consultas en marcha',
    help: 'Pruebe de nuevo pasados los segundos de Retry-After.',
  },
  'insufficient-storage': {
    title: 'El almacén de datos está lleno',
    help: 'Por ahora no se puede escribir nada; los datos se pueden leer. Inténtelo más tarde.',
  },
  'feed-unavailable': {
    title: 'Los datos no se pueden leer en este momento',
    help: 'Hubo datos buenos, pero ahora no se pueden leer o están anticuados. Pruebe de nuevo pasados los segundos de Retry-After; /status y /api/freshness dicen más.',
  },
}

/** Renders the page of a problem's `type`. */
export function problemPage(code: ProblemCode, language: Language): string {
  const { title, help } = language === 'es' ? SPANISH[code] : PROBLEMS[code]
  const { status } = PROBLEMS[code]
  const state = language === 'es' ? 'estado HTTP' : 'HTTP status'
  const body = `<p><code>${code}</code>, ${state} ${status}.</p>\n<p>${escaped(help)}</p>`
  return htmlPage(language, { title, body, after: pageLinks(language) })
}
