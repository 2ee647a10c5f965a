/** A source as whoever reuses its data has to name it. */
export interface AttributedSource {
  readonly name: string
  readonly licence: string
  readonly licence_url: string
  readonly attribution: string
}

/** The file that goes along with files of a dataset, in Markdown: the licences and the words to show. */
export function attributionText(dataset: string, sources: readonly AttributedSource[]): string {
  const lines = sources.map(
    ({ name, licence, licence_url, attribution: words }) => `- ${name}: [${licence}](${licence_url}). Show: "${words}"`,
  )
  return `# Sources of ${dataset}\n\nWhoever reuses this data has to follow these licences.\n\n${lines.join('\n')}\n`
}
