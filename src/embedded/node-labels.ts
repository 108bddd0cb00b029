/** What a person puts on a node, as the value "true", to make its kubelet misbehave; the test cluster reads the same. */
export const nodeLabels = {
  /** The kubelet stops: no heartbeat, and nothing starts or ends on the node until the label goes. */
  silent: 'lifeboat.test/silent',
  /** The kubelet continues, and reports that the node is not ready. */
  notReady: 'lifeboat.test/not-ready',
} as const

interface Labelled {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> }
}

export function isSilent({ metadata }: Labelled): boolean {
  return metadata.labels?.[nodeLabels.silent] === 'true'
}

export function isInTrouble({ metadata }: Labelled): boolean {
  return metadata.labels?.[nodeLabels.notReady] === 'true'
}
