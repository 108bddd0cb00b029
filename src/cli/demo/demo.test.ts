import { expect, test } from 'vitest'
import { openDemoStage, settled } from '../../../test/build/demo-stage.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import * as embedded from '../../embedded/entry.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { applications } from './applications.ts'
import { demo, perform } from './demo.ts'
import { acts } from './script.ts'

/** The cells of the row of a table that begins so. */
function row(lines: readonly string[], name: string): string[] {
  return lines.find((line) => new RegExp(`^${name} {2,}`).test(line))?.split(/ {2,}/) ?? []
}

test('three acts, and what they came to, all of it measured', async () => {
  await using ground = await openDemoStage()
  const world = commandWorld()
  await ground.until(perform(world, ground.stage))
  const { lines } = world
  expect(lines[0]).toMatch(/^A cluster of 12 nodes in 3 zones with 60 pods is up in this process, after \d/)
  expect(lines.filter((line) => Object.values<string>(acts).includes(line))).toEqual(Object.values(acts))
  const text = lines.join('\n')
  expect(text).toMatch(/refused 3 times: shop\/checkout-\S+ waits for budget checkout \(1 healthy, 1 needed\)/)
  expect(text).toMatch(/refused 3 times: shop\/cart-\S+ waits for budget cart \(3 healthy, 3 needed\)/)
  expect(text).toMatch(/checkout was down for [1-9]/)
  expect(text).toMatch(
    / {2}shop\/search-\S+ waits for its replacement search-\S+, which is not ready .*ImagePullBackOff/,
  )
  expect(text).toContain('ReplacementNotReady')
  expect(text).toContain('12 of 12 logs, 12 of 12 network')
  for (const { name } of applications) expect([name, row(lines, name)[3]]).toEqual([name, '0 s'])
  const moved = applications.map(({ name }) => Number(row(lines, name)[4])).reduce((sum, count) => sum + count, 0)
  expect(Number(row(lines, 'pods moved')[2])).toBeGreaterThanOrEqual(moved)
  expect(moved).toBeGreaterThanOrEqual(8)
  expect(row(lines, 'nodes drained')).toEqual(['nodes drained', '2', '3'])
  expect(row(lines, 'DaemonSet pods away and back')).toEqual(['DaemonSet pods away and back', '0', '6'])
  expect(row(lines, 'of these refused')).toEqual(['of these refused', '6', '0'])
  expect(row(lines, 'pods deleted without asking')).toEqual(['pods deleted without asking', '2', '0'])
})

test('a promise that is broken is told, and fails the demo', async () => {
  await using ground = await openDemoStage()
  const { stage } = ground
  const world = commandWorld()
  const deleteCheckout = async () => {
    const { items } = await stage.kube.list(pods, { labelSelector: 'app=checkout' })
    for (const pod of items) await stage.kube.delete(pods, podRefOf(pod))
  }
  const meddling = {
    ...world,
    print: (line: string) => {
      world.print(line)
      if (line.startsWith('The image of search is pushed')) void deleteCheckout()
    },
  }
  await expect(ground.until(perform(meddling, stage))).rejects.toThrow(
    /^Lifeboat did not keep its promises: checkout was below wanted for [1-9]/,
  )
  expect(world.lines).not.toContain(acts.next)
})

test('Ctrl-C ends it wherever it is, with nothing left to run', async () => {
  for (const at of [acts.today, acts.lifeboat, 'The image of search is pushed', acts.complete]) {
    const clock = new VirtualClock()
    const world = commandWorld()
    const interrupted = {
      ...world,
      print: (line: string) => {
        world.print(line)
        if (line.startsWith(at)) world.interrupt()
      },
    }
    await expect(settled(clock, demo(interrupted, { clock, random: seededRandom(1), embedded }))).rejects.toThrow(
      'interrupted',
    )
    expect(world.lines).not.toContain(acts.figures)
  }
})
