import { evictable, evictionInProgress, onlyEvictions, type DeschedulingWorld } from './descheduling-world.ts'
import { arrangePod, podsPath } from './lifeboat-world.ts'
import type { HookAnswer, ReviewRequest } from './webhook-server.ts'
import { merge } from './workload-world.ts'

// KubeVirt, as a descheduler meets it. Its webhook refuses the eviction of a pod that runs a virtual machine, with 429
// and no reason, and marks the machine as one to move. Its controller marks the pod some time later, starts a second pod
// elsewhere, moves the machine into it, and the first pod completes. See the pod eviction admitter of virt-api and the
// folder watch/descheduler of virt-controller in https://github.com/kubevirt/kubevirt.

interface VirtualMachine {
  readonly name: string
  readonly isMigratable: boolean
  /** How many pods have run it. */
  launchers: number
  node: number
  /** Where it is to leave. */
  evacuationNode: number | undefined
}

export interface MachineChoices {
  readonly isMigratable?: boolean
}

export class FakeKubeVirt {
  readonly #world: DeschedulingWorld
  readonly #machines = new Map<string, VirtualMachine>()
  readonly #answers: string[] = []
  #mostOnTheMove = 0

  private constructor(world: DeschedulingWorld) {
    this.#world = world
  }

  static async install(world: DeschedulingWorld): Promise<FakeKubeVirt> {
    const kubeVirt = new FakeKubeVirt(world)
    await world.interceptEvictions((request) => kubeVirt.#admit(request))
    return kubeVirt
  }

  /** A machine on the first node. */
  async createMachine(name: string, { isMigratable = true }: MachineChoices = {}): Promise<void> {
    const machine = { name, isMigratable, launchers: 0, node: 0, evacuationNode: undefined }
    this.#machines.set(name, machine)
    await this.#launch(machine, machine.node)
  }

  /** The controller has noticed that the machine is to move. */
  async markPod(name: string): Promise<void> {
    const machine = this.#machineOf(name)
    if (machine.evacuationNode === undefined) throw new Error(`${name} is not to move`)
    await this.#annotate(machine, 'true')
  }

  /** The machine runs in a new pod on the other node, and the pod before has completed. */
  async finishMigration(name: string): Promise<void> {
    const machine = this.#machineOf(name)
    if (machine.evacuationNode === undefined) throw new Error(`${name} is not to move`)
    const source = podOf(machine)
    await this.#launch(machine, 1)
    machine.node = 1
    machine.evacuationNode = undefined
    await this.#world.arrange('PATCH', `${podsPath}/${source}/status`, { status: { phase: 'Succeeded' } }, merge)
  }

  /** Somebody has taken back what made the machine move. */
  async cancelMigration(name: string): Promise<void> {
    const machine = this.#machineOf(name)
    machine.evacuationNode = undefined
    await this.#annotate(machine, null)
  }

  /** What the webhook has said since somebody last asked. */
  takeAnswers(): readonly string[] {
    return this.#answers.splice(0)
  }

  /** How many machines were to move at the same time, at the worst moment. */
  get mostOnTheMove(): number {
    return this.#mostOnTheMove
  }

  #admit({ name, namespace, dryRun }: ReviewRequest): HookAnswer {
    const machine = this.#machines.get(String(name).replace(/^virt-launcher-(.+)-\d+$/, '$1'))
    if (machine === undefined) return { response: { allowed: true } }
    const message = this.#decide(machine, String(name), dryRun === true).replaceAll('NAMESPACE', String(namespace))
    this.#answers.push(message)
    return { response: { allowed: false, status: { code: 429, message } } }
  }

  #decide(machine: VirtualMachine, pod: string, isDryRun: boolean): string {
    const { name, isMigratable, evacuationNode } = machine
    if (!isMigratable) return `VMI ${name} is configured with an eviction strategy but is not live-migratable`
    const triggered = `Eviction triggered evacuation of VMI "NAMESPACE/${name}"`
    if (evacuationNode !== undefined) return `Evacuation in progress: ${triggered}`
    if (pod !== podOf(machine)) return 'Eviction request for target Pod'
    if (!isDryRun) machine.evacuationNode = machine.node
    const onTheMove = [...this.#machines.values()].filter((each) => each.evacuationNode !== undefined).length
    this.#mostOnTheMove = Math.max(this.#mostOnTheMove, onTheMove)
    return triggered
  }

  async #launch(machine: VirtualMachine, node: number): Promise<void> {
    machine.launchers += 1
    await arrangePod(this.#world, podOf(machine), {
      annotations: { 'kubevirt.io/domain': machine.name, ...evictable, ...onlyEvictions },
      spec: { nodeName: `${this.#world.namespace}-${node}` },
    })
  }

  async #annotate(machine: VirtualMachine, value: string | null): Promise<void> {
    const body = { metadata: { annotations: { [evictionInProgress]: value } } }
    await this.#world.arrange('PATCH', `${podsPath}/${podOf(machine)}`, body, merge)
  }

  #machineOf(name: string): VirtualMachine {
    const machine = this.#machines.get(name)
    if (machine === undefined) throw new Error(`there is no virtual machine ${name}`)
    return machine
  }
}

/** The one that runs it, or is about to. */
const podOf = ({ name, launchers }: VirtualMachine): string => `virt-launcher-${name}-${launchers}`
