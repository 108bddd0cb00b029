import type { FileStep } from '../../src/agent/static-pods/decide-parking.ts'
import { PlayedFolder } from '../../src/cli/demo/played-folder.ts'

/** A folder of manifests that may be told to fail or to die at a step. */
export class MemoryFolder extends PlayedFolder {
  /** Called before a step is done; what it throws is thrown. */
  before: (step: FileStep) => void = () => {}
  /** Called when it is done and not told yet. */
  after: (step: FileStep) => void = () => {}

  override async take(step: FileStep): Promise<void> {
    this.before(step)
    await super.take(step)
    this.after(step)
  }
}

export function manifestOf(name: string, more: { readonly namespace?: string; readonly image?: string } = {}): string {
  const { namespace = 'kube-system', image = `${name}:1` } = more
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: { containers: [{ name: 'main', image }] },
  })
}
