import type { FileStep } from '../../src/agent/static-pods/decide-parking.ts'
import { isOfInterest } from '../../src/agent/static-pods/decide-parking.ts'
import { mirrorOfManifest } from '../../src/agent/static-pods/manifest.ts'
import type { ManifestFolder } from '../../src/agent/static-pods/manifest-folder.ts'

interface Inode {
  readonly id: string
  readonly text: string
  /** Read once: a test that dies at every step looks thousands of times. */
  readonly pod: string | undefined
}

/** A folder of manifests that behaves as a file system does, and may be told to fail or to die at a step. */
export class MemoryFolder implements ManifestFolder {
  readonly path = '/etc/kubernetes/manifests'
  readonly #node: string
  readonly #files = new Map<string, Inode>()
  readonly #changed: (visible: readonly string[]) => Promise<void>
  #written = 0
  /** Called before a step is done; what it throws is thrown. */
  before: (step: FileStep) => void = () => {}
  /** Called when it is done and not told yet. */
  after: (step: FileStep) => void = () => {}

  /** `changed` is given the texts that a kubelet would see. */
  constructor(node: string, changed: (visible: readonly string[]) => Promise<void> = async () => {}) {
    this.#node = node
    this.#changed = changed
  }

  /** As who writes a manifest does it: a new file takes the place of the old. */
  async write(name: string, text: string): Promise<void> {
    this.#files.set(name, { id: String(++this.#written), text, pod: mirrorOfManifest(text, this.#node) })
    await this.#changed(this.visible())
  }

  async remove(name: string): Promise<void> {
    this.#files.delete(name)
    await this.#changed(this.visible())
  }

  /** All that is there, by name. */
  contents(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#files].map(([name, { text }]) => [name, text]))
  }

  visible(): string[] {
    return [...this.#files].flatMap(([name, { text }]) => (name.startsWith('.') ? [] : [text]))
  }

  async list() {
    const files = [...this.#files]
      .filter(([name]) => isOfInterest(name))
      .map(([name, { id, pod }]) => ({ name, inode: id, pod }))
    return { kind: 'files', files } as const
  }

  async take(step: FileStep): Promise<void> {
    this.before(step)
    this.#do(step)
    await this.#changed(this.visible())
    this.after(step)
  }

  #do(step: FileStep): void {
    switch (step.kind) {
      case 'rename':
        this.#files.set(step.to, this.#found(step.from))
        this.#files.delete(step.from)
        return
      case 'link':
        if (this.#files.has(step.to)) throw failure('EEXIST')
        this.#files.set(step.to, this.#found(step.from))
        return
      case 'unlink':
        this.#found(step.name)
        this.#files.delete(step.name)
        return
      default:
        return step satisfies never
    }
  }

  #found(name: string): Inode {
    const inode = this.#files.get(name)
    if (inode === undefined) throw failure('ENOENT')
    return inode
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
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
