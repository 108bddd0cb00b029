import { expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import { ControllerGround, templateOf } from '../../../test/build/controller-ground.ts'
import { revisionName, revisionsOf, syncRevision, templateOfRevision } from './revisions.ts'

const kind = { apiVersion: 'apps/v1', kind: 'DaemonSet' }
const daemonSet = (image: string) => ({
  metadata: storedMeta({ name: 'logs', namespace: 'default', uid: 'u1' }),
  spec: { template: templateOf({ app: 'logs' }, { image }), revisionHistoryLimit: 1 },
})

test('writes each template down once, and moves one that comes back to the front', async () => {
  await using ground = new ControllerGround([])
  const [one, two] = [daemonSet('a:1'), daemonSet('a:2')]
  await syncRevision(ground.parts, kind, one)
  await syncRevision(ground.parts, kind, one)
  await syncRevision(ground.parts, kind, two)
  const namesNow = () => revisionsOf(ground.parts, one).map(({ metadata, revision }) => [metadata.name, revision])
  expect(namesNow()).toEqual([
    [revisionName(one), 1],
    [revisionName(two), 2],
  ])
  await syncRevision(ground.parts, kind, one)
  expect(namesNow()).toEqual([
    [revisionName(two), 2],
    [revisionName(one), 3],
  ])
  expect(templateOfRevision(revisionsOf(ground.parts, one)[0])).toEqual(two.spec.template)
})

test('forgets those beyond the limit, the oldest first', async () => {
  await using ground = new ControllerGround([])
  for (const version of [1, 2, 3]) await syncRevision(ground.parts, kind, daemonSet(`a:${version}`))
  expect(revisionsOf(ground.parts, daemonSet('a:3')).map(({ revision }) => revision)).toEqual([2, 3])
})
