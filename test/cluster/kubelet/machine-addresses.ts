import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { nodeFilesIn } from './files.ts'

// Pods that run see the addresses of this machine, so each cluster with a real node has some of its own. Whoever has put
// the address of the API server on the loopback interface has them: nobody can put it there twice.

const run = promisify(execFile)
const choices = 255
const triesMax = 50

export interface MachineAddresses {
  /** The first of the services, which the API server gives to its own. */
  readonly apiServer: string
  readonly services: string
  readonly pods: string
}

function addressesOf(choice: number): MachineAddresses {
  return { apiServer: `10.96.${choice}.1`, services: `10.96.${choice}.0/24`, pods: `10.98.${choice}.0/24` }
}

/** Takes addresses for the cluster in this folder, until they are given back. */
export async function takeAddresses(folder: string): Promise<MachineAddresses> {
  const files = nodeFilesIn(folder)
  await mkdir(files.folder, { recursive: true })
  let problem: unknown
  for (let tries = 0; tries < triesMax; tries++) {
    const addresses = addressesOf(randomInt(1, choices))
    try {
      await run('ip', ['address', 'add', `${addresses.apiServer}/32`, 'dev', 'lo'])
    } catch (error) {
      problem = error
      continue
    }
    await writeFile(files.addresses, JSON.stringify(addresses))
    return addresses
  }
  throw new Error(`no address for the API server could be put on the loopback interface: ${String(problem)}`)
}

export async function readAddresses(folder: string): Promise<MachineAddresses | undefined> {
  const text = await readFile(nodeFilesIn(folder).addresses, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as MachineAddresses)
}

export async function giveAddressesBack(folder: string): Promise<void> {
  const addresses = await readAddresses(folder)
  if (addresses !== undefined)
    await run('ip', ['address', 'delete', `${addresses.apiServer}/32`, 'dev', 'lo']).catch(() => {})
}
