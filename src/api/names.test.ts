import { expect, test } from 'vitest'
import { annotations, evacuatorClasses, finalizers, instigators, labels, schedulingGates } from './names.ts'

/** What the API server asks of an annotation key or a finalizer: an optional prefix, and 63 characters for the name. */
const qualifiedName = /^([a-z0-9.-]{1,253}\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

test.each(Object.values(annotations).filter((key) => !key.endsWith('_')))('%s is an annotation key', (key) => {
  expect(key).toMatch(qualifiedName)
})

test.each(Object.values(evacuatorClasses))('%s fits an annotation and a finalizer without being hashed', (name) => {
  expect(`${annotations.evacuatorPriorityPrefix}${name}`).toMatch(qualifiedName)
  expect(`${finalizers.instigatorPrefix}${name}`).toMatch(qualifiedName)
})

test.each(Object.values(instigators))('%s fits a finalizer without being hashed', (name) => {
  expect(`${finalizers.instigatorPrefix}${name}`).toMatch(qualifiedName)
})

test.each([...Object.values(labels), ...Object.values(schedulingGates)])('%s is a key of a label', (key) => {
  expect(key).toMatch(qualifiedName)
})
