import stringWidth from 'string-width'

// Texts for a terminal, where a character takes two columns, one or none.

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** As much of it as fits, with `…` where something is missing. */
export function cutToWidth(text: string, widthMax: number): string {
  if (stringWidth(text) <= widthMax) return text
  if (widthMax < 1) return ''
  let width = 0
  let cut = ''
  for (const { segment } of segments.segment(text)) {
    width += stringWidth(segment)
    if (width > widthMax - 1) break
    cut += segment
  }
  return `${cut.trimEnd()}…`
}

/** Broken between words into lines that fit; the last of them is cut where there are too many. */
export function wrapToWidth(text: string, width: number, linesMax: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line === '' || stringWidth(longer) <= width) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  lines.push(line)
  const [kept, rest] = [lines.slice(0, linesMax - 1), lines.slice(linesMax - 1)]
  return [...kept, rest.join(' ')].filter((each) => each !== '').map((each) => cutToWidth(each, width))
}

/** Exactly that wide. */
export function fitToWidth(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const cut = cutToWidth(text, width)
  const gap = ' '.repeat(Math.max(0, width - stringWidth(cut)))
  return side === 'left' ? cut + gap : gap + cut
}
