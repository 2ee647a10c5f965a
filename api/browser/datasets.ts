// Runs on the page of datasets: shows while typing what the form would find.

const input = document.querySelector<HTMLInputElement>('#q')
const count = document.querySelector<HTMLElement>('#shown')
const nothing = document.querySelector<HTMLElement>('#nothing')
const entries = [...document.querySelectorAll<HTMLElement>('.datasets > li')]

/** A text without case and accents. */
function folded(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

/** Hides the entries without the words, and the domains without entries. */
function filter(): void {
  const words = folded(input?.value ?? '').split(/\s+/)
  for (const one of entries) one.hidden = !words.every((word) => one.dataset['text']?.includes(word))
  for (const section of document.querySelectorAll<HTMLElement>('.domain')) {
    const shown = section.querySelectorAll('li:not([hidden])').length
    section.hidden = shown === 0
    const label = section.querySelector('h2 small')
    if (label) label.textContent = String(shown)
  }
  const shown = entries.filter(({ hidden }) => !hidden).length
  if (count) count.textContent = count.textContent.replace(/^\d+/, String(shown))
  if (nothing) nothing.hidden = shown > 0
}

input?.addEventListener('input', filter)
