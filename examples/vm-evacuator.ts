// An evacuator for virtual machines that run in pods: they migrate to another host before their pod is evicted.
import {
  claimPod,
  Informer,
  noKubeMetrics,
  podRefOf,
  pods,
  runEvacuator,
  type Clock,
  type Evacuator,
  type Events,
  type Kube,
  type Log,
  type Pod,
  type Random,
} from 'lifeboat/sdk'

/** What this example needs of a hypervisor. Every call can be repeated without harm. */
export interface Hypervisor {
  /** Undefined: the machine is not migrating. */
  migrationOf(machine: string, signal: AbortSignal): Promise<Migration | undefined>
  startMigration(machine: string, signal: AbortSignal): Promise<void>
  /** The machine continues on the other host. There is no way back. */
  switchOver(machine: string, signal: AbortSignal): Promise<void>
  stopMigration(machine: string, signal: AbortSignal): Promise<void>
}

export type Migration =
  | { phase: 'noHost'; message: string }
  | { phase: 'copying'; percent: number; secondsLeft: number }
  | { phase: 'copied' }
  | { phase: 'switchingOver' }
  | { phase: 'moved' }

export interface VmEvacuatorOptions {
  kube: Kube
  clock: Clock
  random: Random
  log: Log
  events?: Events
  hypervisor: Hypervisor
  signal: AbortSignal
}

/** Higher than the 10000 of the controllers: a machine should move before its StatefulSet replaces its pod. */
const registration = { evacuatorClass: 'vm.example.com', priority: 20_000, role: 'live-migration' }
const machineLabel = 'vm.example.com/machine'

/** Runs until the signal aborts. */
export async function startVmEvacuator(options: VmEvacuatorOptions): Promise<void> {
  await Promise.all([claimMachines(options), runEvacuator({ ...options, evacuator: vmEvacuator(options.hypervisor) })])
}

function vmEvacuator(hypervisor: Hypervisor): Evacuator {
  return {
    evacuatorClass: registration.evacuatorClass,

    // Each call looks at how far the migration is and does the next thing. It remembers nothing, so a restart of this
    // process, or a second call after a failure, does no harm.
    async step({ evacuation, pod, nowMs, signal }) {
      const machine = machineOf(pod)
      const migration = await hypervisor.migrationOf(machine, signal)
      switch (migration?.phase) {
        case undefined:
          await hypervisor.startMigration(machine, signal)
          return { kind: 'working', message: 'The migration starts', cancellation: 'Allow', againInMs: 1_000 }
        case 'noHost':
          // Nothing is being done, so no progress is reported: after the deadline the next evacuator has its turn.
          return { kind: 'waiting', because: { reason: 'NoHostForMachine', message: migration.message } }
        case 'copying':
          return {
            kind: 'working',
            message: `Copying memory: ${migration.percent} %`,
            expectedFinishMs: nowMs + migration.secondsLeft * 1_000,
            cancellation: 'Allow',
          }
        case 'copied':
          // The next step cannot be undone, so cancellation is forbidden first. The next call continues.
          if (evacuation.status?.evacuationCancellationPolicy !== 'Forbid') {
            return { kind: 'working', message: 'About to switch over', cancellation: 'Forbid', againInMs: 0 }
          }
          await hypervisor.switchOver(machine, signal)
          return { kind: 'working', message: 'Switching over', cancellation: 'Forbid', againInMs: 1_000 }
        case 'switchingOver':
          return { kind: 'working', message: 'Switching over', cancellation: 'Forbid', againInMs: 1_000 }
        case 'moved':
          // The machine runs elsewhere, and the pod is an empty shell. The eviction still respects its budget.
          return { kind: 'evict' }
      }
    },

    // Called when no instigator wants the pod to leave any more: the machine stays, and the copy is thrown away.
    async cancel({ pod, signal }) {
      const machine = machineOf(pod)
      if ((await hypervisor.migrationOf(machine, signal)) === undefined) {
        return { kind: 'completed', message: 'The machine stays' }
      }
      await hypervisor.stopMigration(machine, signal)
      return { kind: 'working', message: 'Stopping the migration', againInMs: 1_000 }
    },
  }
}

/** Registers the evacuator on every pod of a machine. The annotation can be in the template of the pods instead. */
async function claimMachines({ kube, clock, random, log, signal }: VmEvacuatorOptions): Promise<void> {
  const selection = { labelSelector: machineLabel }
  const machines = new Informer({ kube, resource: pods, selection, clock, random, log, metrics: noKubeMetrics })
  const claim = async (pod: Pod) => {
    const outcome = await claimPod(kube, podRefOf(pod), registration, { signal })
    if (outcome.kind === 'refused') log.warn({ pod: pod.metadata.name }, outcome.message)
  }
  using _subscription = machines.subscribe(({ kind, object }) => {
    if (kind === 'deleted' || isClaimed(object)) return
    // Tried again with the next change of the pod.
    claim(object).catch((error: unknown) => log.warn({ error: String(error) }, 'cannot claim the pod of a machine'))
  })
  await machines.run(signal)
}

function isClaimed({ metadata }: Pod): boolean {
  return metadata.annotations?.[`evacuation.coordination.k8s.io/priority_${registration.evacuatorClass}`] !== undefined
}

function machineOf({ metadata }: Pod): string {
  return metadata.labels?.[machineLabel] ?? ''
}
