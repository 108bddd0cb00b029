/** Commands in a text are to be copied: as a plugin they begin with kubectl. */
export function asCalled(text: string, { programName }: { readonly programName: string }): string {
  return text.replaceAll('`lifeboat ', `\`${programName} `)
}
