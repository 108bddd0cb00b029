import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

// What a machine must have for pods to run on it for real.

const programs: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  busybox: 'busybox-static',
  ip: 'iproute2',
  mount: 'mount',
}

/** Where distributions put the network plugins of containers. */
const pluginFolders = ['/usr/lib/cni', '/opt/cni/bin']
const plugins = ['ptp', 'host-local', 'loopback']

/** In words, each with what to install; none: all is there. */
export async function missingForContainers(environment: NodeJS.ProcessEnv = process.env): Promise<string[]> {
  if (process.platform !== 'linux') return ['Linux']
  const missing: string[] = []
  if (process.getuid?.() !== 0) missing.push('root')
  for (const [program, packageName] of Object.entries(programs)) {
    if ((await findProgram(program, environment)) === undefined) missing.push(`${program} (package ${packageName})`)
  }
  if ((await findPluginFolder()) === undefined) {
    missing.push(`network plugins ${plugins.join(', ')} (package containernetworking-plugins)`)
  }
  return missing
}

export async function findProgram(name: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  // Where administrators' programs are is not on everybody's PATH.
  const folders = [...(environment['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  for (const folder of folders.filter((part) => part !== '')) {
    const path = join(folder, name)
    if (await isExecutable(path)) return path
  }
  return undefined
}

export async function findPluginFolder(): Promise<string | undefined> {
  for (const folder of pluginFolders) {
    const found = await Promise.all(plugins.map((plugin) => isExecutable(join(folder, plugin))))
    if (found.every(Boolean)) return folder
  }
  return undefined
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
