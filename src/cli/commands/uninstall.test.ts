import { expect, test } from 'vitest'
import { commandWorld, openServedCluster } from '../../../test/build/served-cluster.ts'
import { install } from '../../manager/install/install.ts'
import { installation } from '../../manager/install/installation-names.ts'
import { systemClock } from '../../runtime/system.ts'
import { uninstall } from './uninstall.ts'

test('it prints what it takes out, and a second time that there is nothing', async () => {
  await using served = await openServedCluster()
  await install({ kube: served.admin, clock: systemClock }, installation.namespace)
  const world = commandWorld()
  await uninstall(world, { kubeconfig: served.kubeconfig })
  expect(world.lines).toContain('removed namespaces/lifeboat-system')
  expect(world.lines.at(-1)).toBe('Lifeboat is uninstalled')
  expect(served.cluster.store.get('namespaces', installation.namespace)).toBeUndefined()
  const again = commandWorld()
  await uninstall(again, { kubeconfig: served.kubeconfig })
  expect(again.lines).toEqual(['nothing to remove'])
})
