import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { cgroupFolders, mountsIn, processesOf } from '../cluster/kubelet/clean-up.ts'
import { pauseImage } from '../cluster/kubelet/files.ts'
import { type MachineAddresses, readAddresses } from '../cluster/kubelet/machine-addresses.ts'
import { missingForContainers } from '../cluster/kubelet/requirements.ts'
import { isContinuousIntegration } from '../continuous-integration.ts'

const missing = await missingForContainers()
if (missing.length > 0) console.log(`left out: the end of a real node, for want of ${missing.join(', ')}`)

const clusterUrl = pathToFileURL(join(import.meta.dirname, '..', 'cluster', 'cluster.ts')).href

const networkNotes = () => readdir('/var/lib/cni/results').catch(() => [])

/** What the machine has of a cluster whose pods run. */
async function tracesOf(folder: string, { apiServer, pods }: MachineAddresses) {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const podsPrefix = pods.replace(/0\/24$/, '')
  return {
    processes: (await processesOf(folder)).length > 0,
    mounts: (await mountsIn(folder)).length > 0,
    cgroups: (await cgroupFolders(folder)).length > 0,
    address: interfaces.some(({ address }) => address === apiServer),
    // The other end of each is in the network of a pod.
    interfaces: interfaces.some(({ address }) => address.startsWith(podsPrefix)),
    notes: (await networkNotes()).some((name) => name.startsWith(basename(folder))),
    folder: existsSync(folder),
  }
}

const all = (is: boolean) => ({
  processes: is,
  mounts: is,
  cgroups: is,
  address: is,
  interfaces: is,
  notes: is,
  folder: is,
})

test.skipIf(missing.length > 0 && !isContinuousIntegration())(
  'a real node leaves nothing on the machine when its owner is killed',
  async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'sleeper' },
      spec: { containers: [{ name: 'main', image: pauseImage, imagePullPolicy: 'Never' }] },
    }
    const script = `
      import { startCluster } from ${JSON.stringify(clusterUrl)}
      const cluster = await startCluster({ realNode: true })
      await cluster.kubectl(['create', '-f', '-'], { stdin: ${JSON.stringify(JSON.stringify(pod))} })
      await cluster.kubectl(['wait', '--for=condition=Ready', 'pod/sleeper', '--timeout=60s'])
      console.log(cluster.folder)
      setInterval(() => {}, 1_000)`
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [folder] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string]
    const taken = (await readAddresses(folder)) ?? { apiServer: '', services: '', pods: '' }
    expect(await tracesOf(folder, taken)).toEqual(all(true))
    owner.kill('SIGKILL')
    await expect.poll(() => tracesOf(folder, taken), { timeout: 30_000 }).toEqual(all(false))
  },
  180_000,
)
