const KEY = 'key'

/** The key of this tab, kept until it is closed; null if there is none. */
export const key = {
  get: (): string | null => sessionStorage.getItem(KEY),
  set: (text: string): void => (text === '' ? sessionStorage.removeItem(KEY) : sessionStorage.setItem(KEY, text)),
}
