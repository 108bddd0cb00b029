import { expect, test } from 'vitest'
import type { Pod } from '../../api/kubernetes/core.ts'
import { stored } from '../../../test/build/stored.ts'
import { registerChange, registeredClasses, unregisterChange } from './registration.ts'

const evacuatorClass = 'deployment.apps.k8s.io'
const registration = { evacuatorClass, priority: 10_000, role: 'controller' }
const key = `evacuation.coordination.k8s.io/priority_${evacuatorClass}`
const registered = 'evacuation.coordination.k8s.io/registered'
const podWith = (annotations: Record<string, string>): Pod => stored({ metadata: { namespace: 'shop', annotations } })

test.each([
  {
    name: 'a pod that says nothing is registered',
    before: {},
    expected: { [key]: '10000/controller', [registered]: evacuatorClass },
  },
  { name: 'a pod that says so itself is left alone', before: { [key]: '10000/controller' }, expected: {} },
  {
    name: 'a second class is added to those that were registered',
    before: { [registered]: 'horizontalpodautoscaler.autoscaling.k8s.io' },
    expected: {
      [key]: '10000/controller',
      [registered]: 'deployment.apps.k8s.io,horizontalpodautoscaler.autoscaling.k8s.io',
    },
  },
  {
    name: 'a pod with another controller by now is left alone: the policy would refuse a second one',
    before: { 'evacuation.coordination.k8s.io/priority_a.example.com': '10000/controller' },
    expected: {},
  },
])('$name', ({ before, expected }) => {
  expect(registerChange(podWith(before), registration)).toEqual(expected)
})

test.each([
  {
    name: 'what was registered is taken off',
    before: { [key]: '10000/controller', [registered]: evacuatorClass },
    expected: { [key]: null, [registered]: null },
  },
  { name: 'what the pod said itself stays', before: { [key]: '10000/controller' }, expected: {} },
  {
    name: 'another class stays registered',
    before: { [key]: '10000/controller', [registered]: `a.example.com,${evacuatorClass}` },
    expected: { [key]: null, [registered]: 'a.example.com' },
  },
  {
    name: 'what somebody else took off is not taken off again',
    before: { [registered]: evacuatorClass },
    expected: { [registered]: null },
  },
])('$name', ({ before, expected }) => {
  expect(unregisterChange(podWith(before), evacuatorClass)).toEqual(expected)
})

test('the classes that were registered', () => {
  expect(registeredClasses()).toEqual([])
  expect(registeredClasses({ [registered]: 'a,b' })).toEqual(['a', 'b'])
})
