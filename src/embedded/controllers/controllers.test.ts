import { expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../../../test/build/controller-ground.ts'
import { controllers } from './controllers.ts'
import { isReady } from './pod-status.ts'

/** A cluster with something of everything, an hour of its life, and a node that dies in it. */
async function liveAnHour(seed: number): Promise<string[]> {
  const trace: string[] = []
  await using ground = new ControllerGround(controllers, { seed })
  using _trace = ground.store.subscribe(({ type, resource, object }) => {
    trace.push(`${type} ${resource} ${JSON.stringify(object)}`)
  })
  for (const name of ['one', 'two', 'three']) await ground.create('nodes', nodeNamed(name))
  const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: templateOf({ app: 'web' }) }
  for (const kind of ['deployments.apps', 'statefulsets.apps', 'daemonsets.apps']) {
    const labels = { app: kind.slice(0, 6) }
    const own = { ...spec, selector: { matchLabels: labels }, template: templateOf(labels) }
    await ground.create(kind, { metadata: { name: kind.slice(0, 6), namespace: 'default' }, spec: own })
  }
  await ground.create('jobs.batch', {
    metadata: { name: 'import', namespace: 'default' },
    spec: { template: templateOf({}) },
  })
  await ground.pass(60)
  await ground.patch('nodes', 'one', { metadata: { labels: { 'lifeboat.test/silent': 'true' } } })
  await ground.clock.advance(3_600_000)
  await ground.settle()
  const ready = ground.list('pods').filter((pod) => isReady(pod) && pod.spec?.nodeName !== 'one')
  expect(ready.filter(({ metadata }) => metadata.labels?.['app'] === 'deploy')).toHaveLength(3)
  return trace
}

test('all of them together keep a cluster alive, and one seed gives one trace', async () => {
  const first = await liveAnHour(7)
  const second = await liveAnHour(7)
  expect(second).toEqual(first)
  expect(await liveAnHour(8)).not.toEqual(first)
}, 60_000)
