/** As the real server cuts them: proxies give up on headers that are too long. */
const totalLengthMax = 4_096
const lengthWhenCut = 256

/** The values of a response's Warning headers, each text once. */
export function warningHeaders(texts: readonly string[]): string[] {
  const unique = [...new Set(texts)]
  const total = unique.reduce((sum, text) => sum + text.length, 0)
  const shown = total <= totalLengthMax ? unique : cutToFit(unique)
  return shown.map((text) => `299 - "${asHeader(text)}"`)
}

function cutToFit(texts: readonly string[]): string[] {
  const cut = texts.map((text) => (text.length > lengthWhenCut ? `${text.slice(0, lengthWhenCut)}...` : text))
  return cut.slice(0, Math.floor(totalLengthMax / (lengthWhenCut + 3)))
}

/** A quoted string of HTTP on one line; what is not ASCII goes as the bytes of UTF-8, which is what clients read. */
function asHeader(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what has to go
  const line = text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').replaceAll(/[\\"]/g, String.raw`\$&`)
  return Buffer.from(line, 'utf8').toString('latin1')
}
