/**
 * How deep arrays and objects may stand in each other. The real server stops at 10,000; what is below walks objects by
 * recursion and would be out of stack long before, and nothing that Kubernetes knows is deeper than some thirty.
 */
export const nestingDepthMax = 1_000

const quote = 0x22
const backslash = 0x5c
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Looks at the bytes alone, before anything is built from them. */
export function isNestedTooDeep(json: Uint8Array, depthMax = nestingDepthMax): boolean {
  if (json.length <= depthMax) return false
  let depth = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (isText) {
      if (byte === backslash) at++
      else if (byte === quote) isText = false
    } else if (byte === quote) isText = true
    else if (byte === openBrace || byte === openBracket) {
      if (++depth > depthMax) return true
    } else if (byte === closeBrace || byte === closeBracket) depth--
  }
  return false
}

/** The same of something that is built already, level by level and without recursion. */
export function isValueNestedTooDeep(value: unknown, depthMax = nestingDepthMax): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > depthMax) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}
