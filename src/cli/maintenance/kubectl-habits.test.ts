import { expect, test } from 'vitest'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { kubectlDrainFlags } from './kubectl-habits.ts'
import { runProgram } from '../program.ts'

async function run(...words: readonly string[]) {
  const world = commandWorld()
  return { code: await runProgram(world, words), errors: world.errors, lines: world.lines }
}

/** The flags of `kubectl drain` of Kubernetes 1.37 that `drain` does not have, and one that older ones had. */
const habits = [
  { flag: '--ignore-daemonsets', advice: /NodeMaintenanceAwareDaemonSet/ },
  { flag: '--delete-emptydir-data', advice: /emptyDir goes with its pod/ },
  { flag: '--delete-local-data', advice: /emptyDir goes with its pod/ },
  { flag: '--force', advice: /without a controller are evicted .* not recreated/ },
  { flag: '--disable-eviction', advice: /budget protects is not deleted.*lifeboat why NODE/ },
  { flag: '--grace-period', advice: /terminationGracePeriodSeconds/ },
  { flag: '--pod-selector', advice: /a drain moves all pods.*--plan FILE/ },
  { flag: '--skip-wait-for-delete-timeout', advice: /until it is gone/ },
  { flag: '--chunk-size', advice: /nothing is read in one piece/ },
] as const

test.each(habits)('drain says what there is in place of $flag', async ({ flag, advice }) => {
  for (const words of [[flag], [`${flag}=true`], [flag, 'node-2']]) {
    expect(await run('drain', 'node-1', ...words)).toEqual({
      code: 2,
      errors: [`lifeboat: drain has no ${flag}`, expect.stringMatching(advice)],
      lines: [],
    })
  }
})

test('there is an answer for each of these habits, and for no flag that kubectl never had', () => {
  expect(Object.keys(kubectlDrainFlags).toSorted()).toEqual(habits.map(({ flag }) => flag).toSorted())
})

test('the first of several is the one that is told', async () => {
  const { errors } = await run('drain', 'node-1', '--ignore-daemonsets', '--force')
  expect(errors).toHaveLength(2)
  expect(errors[0]).toBe('lifeboat: drain has no --ignore-daemonsets')
})

test('the help does not name them', async () => {
  const { lines } = await run('drain', '--help')
  expect(Object.keys(kubectlDrainFlags).filter((flag) => lines.join('\n').includes(flag))).toEqual([])
})

test('uncordon is told its two ways', async () => {
  expect(await run('uncordon', 'node-1', '--selector=a')).toEqual({
    code: 2,
    errors: [
      'lifeboat: there is no uncordon',
      '`lifeboat complete node-1` ends the maintenance of a node when the work is done, `lifeboat cancel node-1` takes it back.',
    ],
    lines: [],
  })
})
