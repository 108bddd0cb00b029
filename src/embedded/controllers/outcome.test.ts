import { expect, test } from 'vitest'
import { ApiFailure } from '../server/failure.ts'
import { ControllerGround } from '../../../test/build/controller-ground.ts'
import { ignoring, writeObject, writeStatus } from './outcome.ts'

const failing = async (reason: string) => {
  throw new ApiFailure(409, reason, 'no')
}

test('a refusal that was expected is nothing, any other is thrown', async () => {
  await expect(ignoring(['Conflict'], failing('Conflict'))).resolves.toBeUndefined()
  await expect(ignoring(['Conflict'], failing('Forbidden'))).rejects.toThrow('no')
  await expect(ignoring([], Promise.resolve(1))).resolves.toBe(1)
})

test('writes only what differs, and not on top of what somebody else wrote', async () => {
  await using ground = new ControllerGround([])
  await ground.create('nodes', { metadata: { name: 'one' }, status: { phase: 'a' } })
  const seen = ground.get('nodes', 'one')
  if (seen === undefined) throw new Error('the node is there')
  const before = ground.store.revision
  await writeStatus(ground.parts, 'nodes', seen, { phase: 'a' })
  expect(ground.store.revision).toBe(before)
  await writeStatus(ground.parts, 'nodes', seen, { phase: 'b' })
  expect(ground.get('nodes', 'one')).toMatchObject({ status: { phase: 'b' } })
  await writeStatus(ground.parts, 'nodes', seen, { phase: 'c' })
  await writeObject(ground.parts, 'nodes', { ...seen, metadata: { ...seen.metadata, labels: { late: 'true' } } })
  expect(ground.get('nodes', 'one')).toMatchObject({ status: { phase: 'b' } })
  expect(ground.get('nodes', 'one')?.metadata.labels).toBeUndefined()
})
