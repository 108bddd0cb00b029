import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from '../kubelet/requirements.ts'

// What a machine must have for a systemd-logind of its own to run on it beside everything else.

const programs: Readonly<Record<string, string>> = {
  'dbus-daemon': 'dbus',
  busctl: 'systemd',
  'systemd-inhibit': 'systemd',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  mount: 'mount',
}

/** Where distributions put it; it is on nobody's PATH. */
const logindFolders = ['/usr/lib/systemd', '/lib/systemd']
/** Of the distribution, whose modules the one of a version manager does not see. */
export const pythonPath = '/usr/bin/python3'

/** In words, each with what to install; none: all is there. */
export async function missingForLogind(environment: NodeJS.ProcessEnv = process.env): Promise<string[]> {
  if (process.platform !== 'linux') return ['Linux']
  const missing: string[] = []
  if (process.getuid?.() !== 0) missing.push('root')
  for (const [program, packageName] of Object.entries(programs)) {
    if ((await findProgram(program, environment)) === undefined) missing.push(`${program} (package ${packageName})`)
  }
  if ((await findLogind()) === undefined) missing.push('systemd-logind (package systemd)')
  if (!(await succeeds('unshare', ['--mount', '--pid', '--fork', '--mount-proc', 'true']))) {
    missing.push('the right to make PID and mount namespaces')
  }
  if (!(await succeeds(pythonPath, ['-c', 'import dbus, gi'])))
    missing.push('D-Bus for Python (packages python3-dbus, python3-gi)')
  return missing
}

export function findLogind(): Promise<string | undefined> {
  return findProgram('systemd-logind', { PATH: logindFolders.join(':') })
}

function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return promisify(execFile)(program, args).then(
    () => true,
    () => false,
  )
}
