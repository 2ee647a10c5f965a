// Runs on every page: what makes reading and copying easier. Pages work without it.

const SPANISH = document.documentElement.lang === 'es'
const [COPY, COPIED] = SPANISH ? ['Copiar', 'Copiado'] : ['Copy', 'Copied']
/** How long a button says that the text was copied, in ms. */
const SHOWN_MS = 1600

for (const block of document.querySelectorAll<HTMLElement>('pre, .made')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = COPY
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(block.innerText).then(() => {
      button.textContent = COPIED
      setTimeout(() => (button.textContent = COPY), SHOWN_MS)
    })
  })
  const frame = document.createElement('div')
  frame.className = 'copyable'
  block.replaceWith(frame)
  frame.append(block, button)
}
