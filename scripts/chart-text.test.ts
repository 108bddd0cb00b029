import { expect, test } from 'vitest'
import { anyNamespace, anyTimeout, onlyIf, plain, withValues } from './chart-text.ts'

test('the namespace is that of the release', () => {
  expect(withValues(`namespace: ${anyNamespace}\n`)).toBe('namespace: {{ .Release.Namespace }}\n')
})

test('the timeout is that of the values', () => {
  expect(withValues(`'${anyTimeout}'`)).toBe("'{{ .Values.controllerEvictTimeout }}'")
})

test('lines under a condition are lines of their own', () => {
  expect(onlyIf('.Values.x', 'a: 1\n')).toBe('{{- if .Values.x }}\na: 1\n{{- end }}\n')
})

test('text that Helm would read as its own is refused', () => {
  expect(plain('a: 1\n')).toBe('a: 1\n')
  expect(() => plain('a: {{ 1 }}\n')).toThrow('which Helm would read')
})
