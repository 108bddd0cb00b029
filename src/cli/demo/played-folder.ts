import { isOfInterest, type FileStep } from '../../agent/static-pods/decide-parking.ts'
import { mirrorOfManifest } from '../../agent/static-pods/manifest.ts'
import type { FolderListing, ManifestFolder } from '../../agent/static-pods/manifest-folder.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { behaviour } from './applications.ts'
import type { Stage } from './stage.ts'

interface Inode {
  readonly id: string
  readonly text: string
  readonly pod: string | undefined
}

/** Is given the texts that a kubelet would see. */
type Changed = (visible: readonly string[]) => Promise<void>

/** A folder of manifests in memory that behaves as a file system does. */
export class PlayedFolder implements ManifestFolder {
  readonly path = '/etc/kubernetes/manifests'
  readonly #node: string
  readonly #changed: Changed
  readonly #files = new Map<string, Inode>()
  #written = 0

  /** `files` are texts in JSON, by name. */
  constructor(node: string, files: Readonly<Record<string, string>> = {}, changed: Changed = async () => {}) {
    this.#node = node
    this.#changed = changed
    for (const [name, text] of Object.entries(files)) this.#put(name, text)
  }

  /** As who writes a manifest does it: a new file takes the place of the old. */
  async write(name: string, text: string): Promise<void> {
    this.#put(name, text)
    await this.publish()
  }

  /** All that is there, by name. */
  contents(): Readonly<Record<string, string>> {
    const sorted = [...this.#files].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(sorted.map(([name, { text }]) => [name, text]))
  }

  /** Names with a dot in front are not for a kubelet. */
  visible(): string[] {
    return [...this.#files].flatMap(([name, { text }]) => (name.startsWith('.') ? [] : [text]))
  }

  /** Tells the kubelet what is there. */
  async publish(): Promise<void> {
    await this.#changed(this.visible())
  }

  async list(): Promise<FolderListing> {
    const files = [...this.#files]
      .filter(([name]) => isOfInterest(name))
      .map(([name, { id, pod }]) => ({ name, inode: id, pod }))
    return { kind: 'files', files }
  }

  async take(step: FileStep): Promise<void> {
    this.#do(step)
    await this.publish()
  }

  #do(step: FileStep): void {
    switch (step.kind) {
      case 'rename':
        this.#files.set(step.to, this.#found(step.from))
        this.#files.delete(step.from)
        return
      case 'link':
        if (this.#files.has(step.to)) throw failure(step.to, 'EEXIST')
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

  #put(name: string, text: string): void {
    this.#files.set(name, { id: String(++this.#written), text, pod: mirrorOfManifest(text, this.#node) })
  }

  #found(name: string): Inode {
    const inode = this.#files.get(name)
    if (inode === undefined) throw failure(name, 'ENOENT')
    return inode
  }
}

function failure(name: string, code: string): Error {
  return Object.assign(new Error(`${code}: ${name}`), { code })
}

/** The embedded kubelet of the node runs what a real one would see in it. */
export function kubeletFolder(
  { kube, signal }: Pick<Stage, 'kube'> & Partial<Pick<Stage, 'signal'>>,
  node: string,
  files: Readonly<Record<string, string>> = {},
): PlayedFolder {
  return new PlayedFolder(node, files, async (visible) => {
    const body = { metadata: { annotations: { [behaviour.staticPods]: `[${visible.join()}]` } } }
    await kube.patch(nodes, { name: node }, { type: 'merge', body }, { signal })
  })
}
