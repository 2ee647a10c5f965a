import type { PlanTable } from '../../auth/plans.ts'
import { CODE_LANGUAGES, type CodeLanguage, requestCode } from '../../browser/docs-code.ts'
import { PICTURE, picturePaths } from '../../browser/spain-picture.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { codeBlock, escaped } from '../site/html.ts'
import { fullCost, planTag } from './costs.ts'
import type { FieldDoc } from './fields.ts'
import { type DocsContext, docsFrame, groupPath, inline, operationPath } from './frame.ts'
import type { GroupDoc } from './groups.ts'
import type { OperationDoc, OperationIndex, ParameterDoc } from './reference.ts'

const WORDS = inBoth({
  cost: ['Plan y coste', 'Plan and cost'],
  deprecated: ['En desuso', 'Deprecated'],
  how: ['Cómo se hacen estos datos', 'How this data is made'],
  parameters: ['Parámetros', 'Parameters'],
  body: ['Cuerpo', 'Body'],
  reply: ['Respuesta', 'Reply'],
  formats: ['Formatos', 'Formats'],
  request: ['Petición', 'Request'],
  language: ['Lenguaje del código', 'Language of the code'],
  such: ['Ejemplo', 'Example'],
  example: ['Respuesta de ejemplo', 'Example reply'],
  picture: ['Los lugares de la respuesta de ejemplo', 'The places of the example reply'],
  outline: ['Contorno: IGN/CNIG, CC BY 4.0', 'Outline: IGN/CNIG, CC BY 4.0'],
  required: ['obligatorio', 'required'],
  optional: ['puede faltar', 'may be absent'],
  nullable: ['o null', 'or null'],
  members: [(count: number) => `${count} miembros`, (count: number) => `${count} members`],
  codes: [(count: number) => `${count} valores`, (count: number) => `${count} values`],
  tryIt: ['Probar', 'Try it'],
  send: ['Enviar', 'Send'],
  key: ['Su clave (opcional)', 'Your key (optional)'],
  keyNeeded: ['Su clave', 'Your key'],
  keyNote: ['Se queda en esta pestaña hasta que la cierre.', 'It stays in this tab until you close it.'],
  more: ['Más parámetros', 'More parameters'],
  open: ['Abrir la petición de ejemplo', 'Open the example request'],
  inHeader: ['cabecera', 'header'],
  inPath: ['ruta', 'path'],
  english: ['Los textos de parámetros y campos están en inglés, como en OpenAPI.', ''],
})

/** Values that are shown without opening a list. */
const SHOWN_CODES = 12
/** Longest example reply that is shown, in characters. */
const MAX_EXAMPLE = 14_000

/** What the page of an operation is made from. */
interface OperationPageParts {
  readonly group: GroupDoc
  readonly operation: OperationDoc
  readonly operations: readonly OperationIndex[]
  readonly plans: PlanTable
}

/** Renders the page of an operation: plan and cost, parameters and reply, beside its request, a trial and a picture. */
export function operationPage(context: DocsContext, { group, operation, operations, plans }: OperationPageParts): string {
  const { language } = context
  const words = WORDS[language]
  const { method, path, summary, about, parameters, body, reply, explained, isDeprecated } = operation
  const costs = fullCost(group.id, operation, language, plans)
  const formats = reply.formats.map(
    ({ type, plan }) =>
      `<li><code>${escaped(type)}</code>${plan === null || plan === operation.plan ? '' : ` ${planTag({ plan }, language)}`}</li>`,
  )
  const note = words.english === '' ? '' : `<p><small>${words.english}</small></p>`
  const section = (id: string, title: string, html: string): string =>
    `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${html}</section>`
  const text = [
    section(
      'cost',
      words.cost,
      `<p>${planTag(operation, language)}</p><ul>${costs.map((one) => `<li>${escaped(one)}</li>`).join('')}</ul>`,
    ),
    parameters.length > 0 ? section('parameters', words.parameters, note + fieldList(parameters, language)) : '',
    body ? section('body', words.body, `<div lang="en"><p>${inline(body.about)}</p></div>${fieldList(body.fields, language)}`) : '',
    section(
      'reply',
      words.reply,
      `<p lang="en">${inline(reply.about)}</p>${fieldList(reply.fields, language, true)}${formats.length > 0 ? `<h3>${words.formats}</h3><ul class="formats">${formats.join('')}</ul>` : ''}`,
    ),
  ]
  const beside = [
    section('request', words.request, codeHtml(operation, language, context.baseUrl)),
    method === 'GET' ? tryHtml(operation, language) : '',
    operation.hasPlaces ? pictureHtml(operation, language) : '',
    reply.example === null ? '' : section('example', words.example, codeBlock(exampleText(reply.example))),
  ]
  return docsFrame(context, {
    title: summary[language],
    about: about === '' ? summary[language] : about.slice(0, 300),
    path: operationPath(group.id, operation.id),
    trail: [[groupPath(group.id), group.title[language]]],
    operations,
    body: `<p class="path"><code><b>${method}</b> ${escaped(path).replaceAll('/', '/<wbr>')}</code>${isDeprecated ? ` <span class="tag signal">${words.deprecated}</span>` : ''}</p>
${about === '' ? '' : `<p class="about" lang="en">${inline(about)}</p>`}${explained === null ? '' : `<p><a href="${explained}?lang=${language}">${words.how}</a></p>`}
<div class="operation"><div>${text.join('\n')}</div><div class="beside">${beside.join('\n')}</div></div>`,
  })
}

/** Renders members; those of records are shown at once if `isOpen`. */
function fieldList(fields: readonly (FieldDoc | ParameterDoc)[], language: Language, isOpen = false): string {
  const words = WORDS[language]
  const one = (field: FieldDoc | ParameterDoc): string => {
    const isParameter = 'in' in field
    const place = !isParameter || field.in === 'query' ? '' : field.in === 'path' ? words.inPath : words.inHeader
    const presence = isParameter ? (field.isRequired ? words.required : '') : field.isRequired ? '' : words.optional
    const example = isParameter ? (field.example ?? field.other) : null
    const facts = [
      field.isNullable ? `${field.type} ${words.nullable}` : field.type,
      field.unit === null ? '' : `<b>${escaped(field.unit)}</b>`,
      escaped(field.limits),
      place,
      presence === '' ? '' : `<i>${presence}</i>`,
    ].filter((part) => part !== '')
    return `<li><code class="name">${escaped(field.name)}</code> <span class="facts">${facts.join(', ')}</span>${field.about === '' ? '' : `<p lang="en">${inline(field.about)}</p>`}${
      example === null || example.length > 80 ? '' : `<p class="such">${words.such}: <code>${escaped(example)}</code></p>`
    }${codesHtml(field.codes, language)}${nestedHtml(field, language, isOpen)}</li>`
  }
  return fields.length === 0 ? '' : `<ul class="fields">${fields.map(one).join('\n')}</ul>`
}

function codesHtml(codes: readonly string[], language: Language): string {
  if (codes.length === 0) return ''
  const list = `<p class="codes">${codes.map((code) => `<code>${escaped(code)}</code>`).join(' ')}</p>`
  return codes.length <= SHOWN_CODES ? list : `<details><summary>${WORDS[language].codes(codes.length)}</summary>${list}</details>`
}

function nestedHtml({ fields, name }: FieldDoc, language: Language, isOpen: boolean): string {
  if (fields.length === 0) return ''
  const open = isOpen && name !== 'meta' ? ' open' : ''
  return `<details${open}><summary>${WORDS[language].members(fields.length)}</summary>${fieldList(fields, language)}</details>`
}

/** Renders the example request in each language, one of which is visible. */
function codeHtml({ method, request, plan, body }: OperationDoc, language: Language, baseUrl: string): string {
  const codes = requestCode({
    ...{ method, url: `${baseUrl}${request}`, hasKey: plan !== null && plan !== 'FREE' },
    body: body ? { type: body.type, text: typeof body.example === 'string' ? body.example : JSON.stringify(body.example ?? {}) } : null,
  })
  const names = Object.entries(CODE_LANGUAGES) as [CodeLanguage, string][]
  const choices = names.map(
    ([id, name], at) =>
      `<input type="radio" name="code" id="code-${id}"${at === 0 ? ' checked' : ''}><label for="code-${id}">${name}</label>`,
  )
  const panels = names.map(([id]) => `<div class="code" data-code="${id}">${codeBlock(codes[id])}</div>`)
  return `<fieldset class="codes-of"><legend class="hidden">${WORDS[language].language}</legend>${choices.join('')}${panels.join('')}</fieldset>`
}

/** Renders the form that sends the request from the browser; scripts show it. */
function tryHtml({ path, parameters, request, plan }: OperationDoc, language: Language): string {
  const words = WORDS[language]
  const asked = (one: ParameterDoc): boolean => one.in === 'path' || one.example !== null
  const usable = parameters.filter((one) => one.in !== 'header')
  const [first, rest] = [usable.filter(asked), usable.filter((one) => !asked(one))]
  const more = rest.length === 0 ? '' : `<details><summary>${words.more}</summary>${rest.map(inputHtml).join('')}</details>`
  const isNeeded = plan !== null && plan !== 'FREE'
  return `<section aria-labelledby="try"><h2 id="try">${words.tryIt}</h2><p><a href="${escaped(request)}">${words.open}</a></p>
<form id="try-form" data-path="${escaped(path)}"${isNeeded ? ' data-keyed' : ''} hidden>${first.map(inputHtml).join('')}${more}
<p class="row"><label for="try-key">${isNeeded ? words.keyNeeded : words.key}${isNeeded ? ` <span class="tag accent">${plan}</span>` : ''}</label><input id="try-key" type="password" autocomplete="off" placeholder="tia_…"><small>${words.keyNote}</small></p>
<p class="actions"><button>${words.send}</button></p></form>
<div id="try-reply" role="status"></div></section>`
}

function inputHtml({ name, in: place, example, other, codes, type, isRequired, id_from }: ParameterDoc): string {
  const attributes = `id="try-${escaped(name)}" name="${escaped(name)}" data-in="${place}"${isRequired ? ' required' : ''}${id_from === null ? '' : ` data-from="${escaped(id_from)}"`}`
  const isChoice = codes.length > 0 && codes.length <= 40 && !type.startsWith('list')
  const values = type === 'boolean' ? ['true', 'false'] : codes
  const input =
    isChoice || type === 'boolean'
      ? `<select ${attributes}><option value=""></option>${values.map((code) => `<option${code === example ? ' selected' : ''}>${escaped(code)}</option>`).join('')}</select>`
      : `<input ${attributes} value="${escaped(example ?? '')}"${other === null ? '' : ` placeholder="${escaped(other)}"`} autocomplete="off">`
  return `<p class="row"><label for="try-${escaped(name)}"><code>${escaped(name)}</code></label>${input}</p>`
}

/** Renders the places of the example over an outline of Spain. */
function pictureHtml({ shapes }: OperationDoc, language: Language): string {
  const words = WORDS[language]
  const { dots, lines } = picturePaths(shapes)
  const { width, height } = PICTURE
  return `<figure class="picture"><svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="picture-name"><image href="${OUTLINE_PATH}" width="${width}" height="${height}"/><path id="picture-lines" d="${lines}"/><path id="picture-dots" d="${dots}"/></svg>
<figcaption><span id="picture-name">${words.picture}</span> <small>${words.outline}</small></figcaption></figure>`
}

/** The path of the outline of Spain. */
export const OUTLINE_PATH = '/docs/spain.svg'

function exampleText(example: unknown): string {
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return text.length > MAX_EXAMPLE ? `${text.slice(0, MAX_EXAMPLE)}\n…` : text
}
