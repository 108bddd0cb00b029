import { expect, test } from 'vitest'
import { applications, behaviour, daemonSets, demoObjects, fragile } from './applications.ts'

test('there is one of each that a drain meets', () => {
  const kinds = demoObjects().map(({ resource }) => resource.kind)
  expect(new Set(kinds)).toEqual(
    new Set(['Namespace', 'DaemonSet', 'Deployment', 'PodDisruptionBudget', 'StatefulSet', 'Job']),
  )
  const web = applications.find(({ name }) => name === 'web')
  expect(web?.replicas).toBe(12)
  expect(applications.filter(({ replicas }) => replicas === 1)).toHaveLength(2)
})

test('the DaemonSets are of two priorities', () => {
  const priorities = daemonSets.map(({ object }) => JSON.stringify(object.object).includes('system-node-critical'))
  expect(priorities).toEqual([false, true])
})

test('what needs no pod while another starts wants all of them; a StatefulSet can do without one', () => {
  expect(applications.filter(({ wanted, replicas }) => wanted < replicas).map(({ name }) => name)).toEqual(['orders'])
})

test('only one application has an image that can go missing', () => {
  const ill = applications.filter(({ objects }) => JSON.stringify(objects).includes(behaviour.imagePull))
  expect(ill.map(({ name }) => name)).toEqual([fragile])
})
