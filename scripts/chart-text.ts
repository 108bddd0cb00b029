import type { Manifest } from '../src/api/kubernetes/meta.ts'

// How objects become text that Helm reads.

export type Render = (object: Manifest) => string

/** Stands for the namespace until Helm puts in that of the release; no text of ours contains it. */
export const anyNamespace = 'namespace-of-the-release'

/** Nothing in it is meant for Helm. */
export function plain(text: string): string {
  if (text.includes('{{')) throw new Error('a manifest has {{ in it, which Helm would read as its own')
  return text
}

/** Whole lines, which are there only if the condition holds. */
export function onlyIf(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text}{{- end }}\n`
}

/** Stands for the timeout until Helm puts in that of the values; CEL reads it as the flag does. */
export const anyTimeout = 'timeout-of-the-release'

export function withValues(text: string): string {
  return text
    .replaceAll(anyNamespace, '{{ .Release.Namespace }}')
    .replaceAll(anyTimeout, '{{ .Values.controllerEvictTimeout }}')
}
