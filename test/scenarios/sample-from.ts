import type { DeploymentWorld } from './deployment-world.ts'

/**
 * Begins to sample when the sampler itself has seen so many ready pods, and endpoints of the Service if there is one: its
 * watches may be behind what others read.
 */
export async function sampleFrom(world: DeploymentWorld, count: number, { endpoints }: { endpoints: boolean }) {
  const { history } = world.sampler
  const lastOf = (ending: string) => history.findLast((line) => line.endsWith(ending))
  await world.eventually(
    `the sampler has seen ${count} ready pods`,
    async () => [lastOf(' ready'), lastOf(' ready endpoints')],
    ([pods, served]) =>
      pods === `${count} pods, ${count} ready` && (!endpoints || served === `${count} ready endpoints`),
  )
  world.sampler.reset()
}
