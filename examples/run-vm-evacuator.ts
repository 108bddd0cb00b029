// Runs the evacuator of vm-evacuator.ts, in a pod or on your machine: it finds the cluster as kubectl does.
import { connect } from 'lifeboat/sdk'
import { startVmEvacuator, type Hypervisor } from './vm-evacuator.ts'

export async function main(hypervisor: Hypervisor): Promise<void> {
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort(new Error('SIGTERM')))
  await using cluster = await connect({ component: 'vm-evacuator' })
  await startVmEvacuator({ ...cluster, hypervisor, signal: stop.signal })
}
