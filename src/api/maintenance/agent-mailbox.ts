import Type from 'typebox'
import Value from 'typebox/value'
import type { Lease } from '../kubernetes/coordination.ts'
import type { Pod } from '../kubernetes/core.ts'
import type { KubernetesObject, New } from '../kubernetes/meta.ts'
import { annotations, labels } from '../names.ts'
import { oneOf, text, type Described } from '../schema/schema.ts'
import { renderShutdown, shutdownReportSchema } from './agent-shutdown.ts'

// The mailbox of a node: a Lease in Lifeboat's namespace with three annotations. Lifeboat writes what it wants of the
// agent on the node: which static pods it is to park, and which shutdown may continue. The agent writes what it has
// done. Neither writes both.

const limits = { podsMax: 256, problemsMax: 64, nameLengthMax: 512, messageLengthMax: 512 } as const

/** `NAMESPACE/NAME` of the mirror of a static pod. */
const podName = text({ description: 'A static pod.', maxLength: limits.nameLengthMax })

const wantedSchema = Type.Object({
  /** Static pods whose manifests are to be parked. All others are put back. */
  park: Type.Array(
    Type.Object({
      pod: podName,
      since: text({ description: 'When it was first wanted.', maxLength: 64 }),
    }),
    { maxItems: limits.podsMax },
  ),
})

export type AgentWanted = Described<typeof wantedSchema>

export const manifestProblemKinds = ['manifestNotFound', 'folderIsFile', 'failed'] as const
export type ManifestProblemKind = (typeof manifestProblemKinds)[number]

const reportSchema = Type.Object({
  node: text({ description: 'The node.', maxLength: limits.nameLengthMax }),
  /** The pod that the agent runs in. */
  pod: Type.Object({
    name: text({ description: 'Its name.', maxLength: limits.nameLengthMax }),
    uid: text({ description: 'Its UID.', maxLength: 64 }),
  }),
  /** Another one after every boot of the machine. */
  bootID: text({ description: 'Of the machine.', maxLength: 64 }),
  /** There where the agent looks after static pods. */
  staticPods: Type.Optional(
    Type.Object({
      folder: text({ description: 'Where it looks for manifests.', maxLength: limits.nameLengthMax }),
      parked: Type.Array(podName, { maxItems: limits.podsMax }),
      /** A new manifest was written while the old one was parked. The old one is kept beside it. */
      superseded: Type.Array(podName, { maxItems: limits.podsMax }),
      problems: Type.Array(
        Type.Object({
          pod: podName,
          kind: oneOf(manifestProblemKinds, { description: 'What is wrong.' }),
          message: text({ description: 'For people.', maxLength: limits.messageLengthMax }),
        }),
        { maxItems: limits.problemsMax },
      ),
    }),
  ),
  /** There where the agent looks after shutdowns of the machine. */
  shutdown: Type.Optional(shutdownReportSchema),
})

export type AgentReport = Described<typeof reportSchema>
export type StaticPodsReport = NonNullable<AgentReport['staticPods']>

const namePrefix = 'lifeboat-agent-'

export function mailboxNameOf(node: string): string {
  return `${namePrefix}${node}`
}

export function nodeOfMailbox({ metadata }: KubernetesObject): string | undefined {
  const { name } = metadata
  return name.startsWith(namePrefix) ? name.slice(namePrefix.length) : undefined
}

/** As an agent makes it when it first comes to a node. */
export function buildMailbox(namespace: string, report: AgentReport): New<Lease> {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      namespace,
      name: mailboxNameOf(report.node),
      labels: { [labels.nodeAgent]: 'true' },
      annotations: { [annotations.agentReport]: renderReport(report) },
    },
    spec: { holderIdentity: report.pod.name },
  }
}

/** Undefined: Lifeboat has said nothing, or nothing that can be read. An agent then changes nothing. */
export function wantedOf(mailbox: KubernetesObject): AgentWanted | undefined {
  return parse(mailbox.metadata.annotations?.[annotations.agentWanted], wantedSchema) as AgentWanted | undefined
}

export function reportOf(mailbox: KubernetesObject): AgentReport | undefined {
  return parse(mailbox.metadata.annotations?.[annotations.agentReport], reportSchema) as AgentReport | undefined
}

/** Always the same text for the same content, so that a write that would change nothing can be left out. */
export function renderWanted({ park }: AgentWanted): string {
  const sorted = park.toSorted((a, b) => (a.pod < b.pod ? -1 : 1)).slice(0, limits.podsMax)
  return JSON.stringify({ park: sorted.map(({ pod, since }) => ({ pod, since })) })
}

/** The shutdown that nothing holds any more, by its id: the agent lets it continue. */
export function shutdownThatMayGo({ metadata }: KubernetesObject): string | undefined {
  return metadata.annotations?.[annotations.agentShutdown]
}

export function renderReport({ node, pod, bootID, staticPods, shutdown }: AgentReport): string {
  return JSON.stringify({
    node,
    pod: { name: pod.name, uid: pod.uid },
    bootID,
    ...(staticPods === undefined ? {} : { staticPods: renderStaticPods(staticPods) }),
    ...(shutdown === undefined ? {} : { shutdown: renderShutdown(shutdown) }),
  })
}

function renderStaticPods({ folder, parked, superseded, problems }: StaticPodsReport) {
  return {
    folder,
    parked: parked.toSorted().slice(0, limits.podsMax),
    superseded: superseded.toSorted().slice(0, limits.podsMax),
    problems: problems
      .toSorted((a, b) => (a.pod < b.pod ? -1 : 1))
      .slice(0, limits.problemsMax)
      .map(({ pod, kind, message }) => ({
        pod,
        kind,
        message: message.slice(0, limits.messageLengthMax).toWellFormed(),
      })),
  }
}

/** Whether the agent of this mailbox takes static pods away, were it running. */
export function looksAfterStaticPods(mailbox: KubernetesObject | undefined): boolean {
  return mailbox !== undefined && reportOf(mailbox)?.staticPods !== undefined
}

/** The pod of an agent: only in Lifeboat's namespace does the label mean anything. */
export function isNodeAgent({ metadata }: Pod, namespace: string): boolean {
  return metadata.namespace === namespace && metadata.labels?.[labels.nodeAgent] === 'true'
}

function parse(written: string | undefined, schema: Type.TSchema): unknown {
  if (written === undefined) return undefined
  try {
    const value: unknown = JSON.parse(written)
    // The shape is all there is to check: these schemas have no defaults and no rules, and there are thousands of texts.
    return Value.Check(schema, value) ? value : undefined
  } catch {
    return undefined
  }
}
