import { expect, test } from 'vitest'
import { buildPolicedServer } from '../../../test/build/policed-server.ts'
import { buildEvictPolicyPolicy } from './evict-policy-policy.ts'

const key = 'kubernetes.io/evict-policy'
const timeout = 'kubernetes.io/evict-timeout'

test.each([
  { annotations: {}, expected: '201' },
  { annotations: { [key]: 'Default' }, expected: '201' },
  { annotations: { [key]: 'ControllerTakeOver' }, expected: '201' },
  { annotations: { [key]: '' }, expected: '422' },
  { annotations: { [key]: 'default' }, expected: '422' },
  { annotations: { [timeout]: '90s' }, expected: '201' },
  { annotations: { [key]: 'ControllerTakeOver', [timeout]: '1h30m' }, expected: '201' },
  { annotations: { [timeout]: '24h' }, expected: '201' },
  { annotations: { [timeout]: '24h1s' }, expected: '422' },
  { annotations: { [timeout]: '0s' }, expected: '422' },
  { annotations: { [timeout]: '' }, expected: '422' },
  { annotations: { [timeout]: '60' }, expected: '422' },
  { annotations: { [timeout]: '-5m' }, expected: '422' },
  { annotations: { [timeout]: 'soon' }, expected: '422' },
  { annotations: { [timeout]: '99999999999h' }, expected: '422' },
  { annotations: { [key]: 'ControllerTakeOver', [timeout]: 'soon' }, expected: '422' },
])('a new pod with $annotations: $expected', async ({ annotations, expected }) => {
  const { creating } = await buildPolicedServer(buildEvictPolicyPolicy())
  expect((await creating(annotations)).slice(0, 3)).toBe(expected)
})

test('the message names the annotation, its value and what is allowed', async () => {
  const { creating } = await buildPolicedServer(buildEvictPolicyPolicy())
  expect(await creating({ [key]: 'Never' })).toContain(
    `denied request: metadata.annotations[${key}] is "Never": must be one of Default, ControllerTakeOver`,
  )
})

test('so does the one of a wrong timeout', async () => {
  const { creating } = await buildPolicedServer(buildEvictPolicyPolicy())
  expect(await creating({ [key]: 'ControllerTakeOver', [timeout]: '2d' })).toContain(
    `denied request: metadata.annotations[${timeout}] is "2d": must be a duration from 1s to 24h, such as 90s, 5m or 1h30m`,
  )
})

test.each([
  { name: 'something else', metadata: { labels: { app: 'web' } }, expected: '200' },
  { name: 'the same again', metadata: { annotations: { [key]: 'Never' } }, expected: '200' },
  { name: 'that it is taken away', metadata: { annotations: { [key]: null } }, expected: '200' },
  { name: 'another mistake', metadata: { annotations: { [key]: 'Ever' } }, expected: '422' },
])('a pod from before takes $name: $expected', async ({ metadata, expected }) => {
  const { updating } = await buildPolicedServer(buildEvictPolicyPolicy(), { [key]: 'Never' })
  expect((await updating(metadata)).slice(0, 3)).toBe(expected)
})
