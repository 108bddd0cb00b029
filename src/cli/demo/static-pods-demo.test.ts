import { expect, test } from 'vitest'
import { openDemoStage, settled } from '../../../test/build/demo-stage.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { staticPodsAnnotation } from '../../embedded/controllers/kubelet/static-pods.ts'
import * as embedded from '../../embedded/entry.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { components } from './control-plane.ts'
import { performStaticPods, stageNodes, staticPodsDemo } from './static-pods-demo.ts'
import { acts } from './static-pods-script.ts'

/** All of it takes a second or two; a busy machine may take its time. */
const patience = { timeout: 60_000 }

test('static pods leave and come back, and etcd keeps its majority', patience, async () => {
  await using ground = await openDemoStage({ nodes: stageNodes })
  const world = commandWorld()
  const beganMs = ground.clock.monotonicMs()
  await ground.until(performStaticPods(world, ground.stage))
  expect(ground.clock.monotonicMs() - beganMs).toBeLessThan(30_000)
  const { lines } = world
  expect(lines.filter((line) => Object.values<string>(acts).includes(line))).toEqual(Object.values(acts))
  const text = lines.join('\n')
  const folderOf = (prefix: string) => components.map((name) => `  ${prefix}${name}.yaml`)
  const command = 'node-1$ ls -A /etc/kubernetes/manifests'
  expect(text).toContain([command, ...folderOf('.lifeboat-parked.')].join('\n'))
  expect(text).toContain([command, ...folderOf('')].join('\n'))
  expect(text).toMatch(/node-1: 4\/4 gone, drained \(the node agent stays\)/)
  expect(text).toContain('  kube-system/etcd-node-2 must stay on node-2')
  expect(text).toMatch(/Blocked for \d+s, LastControlPlane/)
  expect(text).toMatch(/^etcd +2 +0 s$/m)
  expect(text).toMatch(/^kube-apiserver +1 +0 s$/m)
  expect(lines.at(-1)).toBe('8 static pods left and came back; all run by the manifests that they had.')
})

test('a promise that is broken is told, and fails the demo', patience, async () => {
  await using ground = await openDemoStage({ nodes: stageNodes })
  const world = commandWorld()
  const { kube } = ground.stage
  const setManifests = (text: string) => {
    const body = { metadata: { annotations: { [staticPodsAnnotation]: text } } }
    return kube.patch(nodes, { name: 'node-3' }, { type: 'merge', body })
  }
  let taken = ''
  const takeAway = async () => {
    taken = (await kube.get(nodes, { name: 'node-3' })).metadata.annotations?.[staticPodsAnnotation] ?? ''
    await setManifests('[]')
  }
  const meddling = {
    ...world,
    print: (line: string) => {
      world.print(line)
      if (line.startsWith('All of node-2 could leave')) void takeAway()
      if (line.startsWith('The static pods of node-1 run again')) void setManifests(taken)
    },
  }
  await expect(ground.until(performStaticPods(meddling, ground.stage))).rejects.toThrow(
    /^Lifeboat did not keep its promises: too few of etcd for [0-9.]+ s; too few of kube-apiserver for /,
  )
})

test('Ctrl-C ends it wherever it is, with nothing left to run', patience, async () => {
  for (const at of ['Static pods are started', acts.drain, acts.guard, acts.complete]) {
    const clock = new VirtualClock()
    const world = commandWorld()
    const interrupted = {
      ...world,
      print: (line: string) => {
        world.print(line)
        if (line.startsWith(at)) world.interrupt()
      },
    }
    const running = staticPodsDemo(interrupted, { clock, random: seededRandom(1), embedded })
    await expect(settled(clock, running)).rejects.toThrow('interrupted')
    expect(world.lines).not.toContain(acts.figures)
  }
})
