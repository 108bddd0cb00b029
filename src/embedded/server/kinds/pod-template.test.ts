import { expect, test } from 'vitest'
import { withPodDefaults } from './pod-template.ts'

test('what is given stays, what is not is filled in', () => {
  const spec = withPodDefaults({
    restartPolicy: 'Never',
    containers: [{ name: 'a', image: 'web:1', ports: [{ protocol: 'UDP' }, {}] }],
  })
  expect(spec).toMatchObject({
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 30,
    containers: [{ terminationMessagePath: '/dev/termination-log', ports: [{ protocol: 'UDP' }, { protocol: 'TCP' }] }],
  })
  expect(spec).not.toHaveProperty('initContainers')
})

test.each([
  { image: 'web', policy: 'Always' },
  { image: 'web:latest', policy: 'Always' },
  { image: 'web:1', policy: 'IfNotPresent' },
  { image: 'web@sha256:abc', policy: 'IfNotPresent' },
])('$image is pulled $policy', ({ image, policy }) => {
  expect(withPodDefaults({ containers: [{ name: 'a', image }] }).containers?.[0]).toMatchObject({
    imagePullPolicy: policy,
  })
})

test('filling in twice changes nothing', () => {
  const once = withPodDefaults({ containers: [{ name: 'a', image: 'web:1' }] })
  expect(withPodDefaults(once)).toEqual(once)
})
