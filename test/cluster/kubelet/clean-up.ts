import { execFile } from 'node:child_process'
import { access, readdir, readFile, readlink, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { cgroupOf, nodeFilesIn } from './files.ts'
import { giveAddressesBack } from './machine-addresses.ts'

// Takes away all that a real node left on the machine: containers with what watches them, mounts, network namespaces
// with their interfaces, the address of the API server, cgroups. It knows them by the cluster's folder and by nothing
// else, so whoever kills the owner at any moment leaves nothing, and what is another's stays.

const run = promisify(execFile)
const limits = { endedWithinMs: 10_000, lookEveryMs: 50, unmountRounds: 5 }
const cgroups = '/sys/fs/cgroup'
/** Where kubelets link the logs of all containers, whatever they are told. */
const linkedLogs = '/var/log/containers'
const networkResults = '/var/lib/cni/results'

/** Whether a real node was ever started in this folder. */
export function hadRealNode(folder: string): Promise<boolean> {
  return access(nodeFilesIn(folder).folder).then(
    () => true,
    () => false,
  )
}

export async function cleanUpRealNode(folder: string): Promise<void> {
  await endProcesses(folder)
  await removeShimSockets(folder)
  await unmountAll(folder)
  await removeCgroups(folder)
  await removeLinkedLogs(folder)
  await removeNetworkResults(folder)
  await giveAddressesBack(folder)
}

/** containerd's shims, which outlive it and name its socket, and whatever is in a cgroup of the cluster. */
async function endProcesses(folder: string): Promise<void> {
  const deadlineMs = Date.now() + limits.endedWithinMs
  for (;;) {
    const pids = await processesOf(folder)
    if (pids.length === 0 || Date.now() > deadlineMs) return
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself.
      }
    }
    await sleep(limits.lookEveryMs)
  }
}

export async function processesOf(folder: string): Promise<number[]> {
  const socket = nodeFilesIn(folder).containerdSocket
  const cgroup = cgroupOf(folder)
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const ours = await Promise.all(
    pids.map(async (pid) => {
      const [membership, commandLine] = await Promise.all([
        readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => ''),
        readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
      ])
      const isContained = membership.split('\n').some((line) => line.includes(`:${cgroup}/`))
      return isContained || (commandLine.includes('containerd-shim') && commandLine.includes(socket))
    }),
  )
  return pids.filter((_, index) => ours[index] === true)
}

async function removeShimSockets(folder: string): Promise<void> {
  const tasks = join(nodeFilesIn(folder).containerdState, 'io.containerd.runtime.v2.task', 'k8s.io')
  for (const id of await readdir(tasks).catch(() => [])) {
    const address = await readFile(join(tasks, id, 'address'), 'utf8').catch(() => '')
    if (address.startsWith('unix:///run/')) await rm(address.slice('unix://'.length), { force: true })
  }
}

/** The innermost first; once more as long as there are some, for a process that was about to end may hold one. */
async function unmountAll(folder: string): Promise<void> {
  for (let round = 0; round < limits.unmountRounds; round++) {
    const mounts = await mountsIn(folder)
    if (mounts.length === 0) return
    for (const mount of mounts.toReversed()) await run('umount', ['-l', mount]).catch(() => {})
  }
}

export async function mountsIn(folder: string): Promise<string[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n')
  return lines.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${folder}/`))
}

/** A hierarchy of its own for each controller, or one for all: a folder can go when those in it are gone. */
async function removeCgroups(folder: string): Promise<void> {
  for (const path of await cgroupFolders(folder)) await removeTree(path)
}

export async function cgroupFolders(folder: string): Promise<string[]> {
  const name = cgroupOf(folder).slice(1)
  const candidates = [cgroups, ...(await readdir(cgroups).catch(() => [])).map((child) => join(cgroups, child))]
  const paths = candidates.map((path) => join(path, name))
  const found = await Promise.all(
    paths.map((path) =>
      readdir(path)
        .then(() => true)
        .catch(() => false),
    ),
  )
  return paths.filter((_, index) => found[index] === true)
}

async function removeTree(path: string): Promise<void> {
  const children = await readdir(path, { withFileTypes: true }).catch(() => [])
  for (const child of children) if (child.isDirectory()) await removeTree(join(path, child.name))
  const deadlineMs = Date.now() + limits.endedWithinMs
  // The last process may be dead and not yet gone.
  while (!(await isRemoved(path)) && Date.now() < deadlineMs) await sleep(limits.lookEveryMs)
}

async function isRemoved(path: string): Promise<boolean> {
  return rmdir(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
}

async function removeLinkedLogs(folder: string): Promise<void> {
  for (const name of await readdir(linkedLogs).catch(() => [])) {
    const path = join(linkedLogs, name)
    const target = await readlink(path).catch(() => '')
    if (target.startsWith(`${folder}/`)) await rm(path, { force: true })
  }
}

/** The network plugins' own notes about each container, which have the id of its sandbox in their names. */
async function removeNetworkResults(folder: string): Promise<void> {
  const sandboxes = join(nodeFilesIn(folder).containerdRoot, 'io.containerd.grpc.v1.cri', 'sandboxes')
  const ids = await readdir(sandboxes).catch(() => [])
  for (const name of await readdir(networkResults).catch(() => [])) {
    if (ids.some((id) => name.includes(id))) await rm(join(networkResults, name), { force: true })
  }
}
