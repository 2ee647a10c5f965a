/** A source with the attribution that reuse requires. */
export interface AttributedSource {
  readonly name: string
  readonly licence: string
  readonly licence_url: string
  readonly attribution: string
}

/** The Markdown file that accompanies a dataset's files: licences and attributions. */
export function attributionText(dataset: string, sources: readonly AttributedSource[]): string {
  const lines = sources.map(
    ({ name, licence, licence_url, attribution: words }) => `- ${name}: [${licence}](${licence_url}). Show: "${words}"`,
  )
  return `# Sources of ${dataset}\n\nReuse of this data must follow these licences.\n\n${lines.join('\n')}\n`
}
