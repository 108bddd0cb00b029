import { expect, test } from 'vitest'
import { pods } from '../kinds/pods.ts'
import { chain } from './chain.ts'

const request = {
  operation: 'CREATE',
  definition: pods,
  subresource: undefined,
  namespace: 'shop',
  name: 'a',
  user: { name: 'x', groups: [] },
  dryRun: false,
  object: { metadata: { name: 'a' }, trace: '' },
  oldObject: undefined,
  options: undefined,
} as const

test('each plugin gets what the one before made, and all validate afterwards', async () => {
  const calls: string[] = []
  const plugin = (name: string) => ({
    mutate: ({ object }: { object: { metadata: object; trace?: unknown } | undefined }) => ({
      metadata: {},
      trace: `${String(object?.trace)}${name}`,
    }),
    validate: () => void calls.push(name),
  })
  const admission = chain([plugin('a'), {}, plugin('b')])
  expect(await admission.mutate(request, [])).toMatchObject({ trace: 'ab' })
  await admission.validate(request, [])
  expect(calls).toEqual(['a', 'b'])
})
