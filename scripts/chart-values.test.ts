import { expect, test } from 'vitest'
import { chartValues } from './chart-values.ts'

const values = `# About the file.

# How many.
replicas: 2

image:
  # Where it is.
  name: boat
  # Which one,
  # if any.
  tag: ''

# What each may use.
resources:
  limits:
    memory: 1Gi

# A list.
ports: [443, 6443]
bare: 1

# Long.
long:
  first: ${'x'.repeat(50)}
  second: ${'y'.repeat(50)}
`

test('each value is there with its default and its comment', () => {
  expect(chartValues(values)).toEqual([
    { path: 'replicas', default: '2', description: 'How many.' },
    { path: 'image.name', default: 'boat', description: 'Where it is.' },
    { path: 'image.tag', default: "''", description: 'Which one, if any.' },
    { path: 'resources', default: '{"limits":{"memory":"1Gi"}}', description: 'What each may use.' },
    { path: 'ports', default: '[443, 6443]', description: 'A list.' },
    { path: 'bare', default: '1', description: '' },
    { path: 'long', default: '{…}', description: 'Long.' },
  ])
})
