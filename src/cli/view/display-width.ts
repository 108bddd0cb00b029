// How much room text takes on a terminal: two columns for wide characters, none for marks that combine.

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' })
const wide =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}]/u
const emoji = /\p{Emoji_Presentation}|\uFE0F/u
const invisible = /^[\p{Mark}\p{Cf}\p{Cc}]+$/u
// oxlint-disable-next-line no-control-regex
const plain = /^[\u0020-\u007E]*$/u

export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const { segment } of segments.segment(text)) width += segmentWidth(segment)
  return width
}

/** As much of it as fits, with `…` where something is missing. */
export function cutToWidth(text: string, widthMax: number): string {
  if (displayWidth(text) <= widthMax) return text
  if (widthMax < 1) return ''
  let width = 0
  let cut = ''
  for (const { segment } of segments.segment(text)) {
    width += segmentWidth(segment)
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
    if (line === '' || displayWidth(longer) <= width) line = longer
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
  const gap = ' '.repeat(Math.max(0, width - displayWidth(cut)))
  return side === 'left' ? cut + gap : gap + cut
}

function segmentWidth(segment: string): number {
  if (invisible.test(segment)) return 0
  return wide.test(segment) || emoji.test(segment) ? 2 : 1
}
