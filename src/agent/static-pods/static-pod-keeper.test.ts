import { expect, test } from 'vitest'
import { manifestOf, MemoryFolder } from '../../../test/build/memory-folder.ts'
import { keepStaticPods } from './static-pod-keeper.ts'

const since = '2026-01-01T00:00:00Z'
const wanting = (...pods: string[]) => ({ park: pods.map((pod) => ({ pod: `kube-system/${pod}-one`, since })) })
const folder = { folder: '/etc/kubernetes/manifests' }
const clean = { ...folder, parked: [], superseded: [], problems: [] }

async function open(...names: string[]): Promise<MemoryFolder> {
  const opened = new MemoryFolder('one')
  for (const name of names) await opened.write(`${name}.yaml`, manifestOf(name))
  return opened
}

test('parks what is wanted, and nothing else', async () => {
  const opened = await open('a', 'b')
  expect(await keepStaticPods(opened, wanting('a'))).toEqual({ ...clean, parked: ['kube-system/a-one'] })
  expect(Object.keys(opened.contents()).toSorted()).toEqual(['.lifeboat-parked.a.yaml', 'b.yaml'])
})

test('puts back what is not wanted any more', async () => {
  const opened = await open('a', 'b')
  const before = opened.contents()
  await keepStaticPods(opened, wanting('a', 'b'))
  expect(opened.visible()).toEqual([])
  expect(await keepStaticPods(opened, wanting())).toEqual(clean)
  expect(opened.contents()).toEqual(before)
})

test('changes nothing while nobody has said what is wanted', async () => {
  const opened = await open('a', 'b')
  await keepStaticPods(opened, wanting('a'))
  const before = opened.contents()
  expect(await keepStaticPods(opened, undefined)).toEqual({ ...clean, parked: ['kube-system/a-one'] })
  expect(opened.contents()).toEqual(before)
})

test('a manifest that is replaced while it is parked is what comes back, and the old one is kept', async () => {
  const opened = await open('a')
  await keepStaticPods(opened, wanting('a'))
  await opened.write('a.yaml', manifestOf('a', { image: 'a:2' }))
  const report = await keepStaticPods(opened, wanting('a'))
  expect(report).toEqual({ ...clean, parked: ['kube-system/a-one'], superseded: ['kube-system/a-one'] })
  expect(opened.visible()).toEqual([])
  await keepStaticPods(opened, wanting())
  expect(opened.contents()).toEqual({
    'a.yaml': manifestOf('a', { image: 'a:2' }),
    '.lifeboat-superseded.1.a.yaml': manifestOf('a'),
  })
})

test('takes along what was written between the look and the step', async () => {
  const opened = await open('a')
  opened.before = () => {
    opened.before = () => {}
    void opened.write('a.yaml', manifestOf('a', { image: 'a:2' }))
  }
  await keepStaticPods(opened, wanting('a'))
  await keepStaticPods(opened, wanting())
  expect(opened.contents()).toEqual({ 'a.yaml': manifestOf('a', { image: 'a:2' }) })
})

test('never overwrites what somebody wrote in the moment of putting back', async () => {
  const opened = await open('a')
  await keepStaticPods(opened, wanting('a'))
  opened.before = () => {
    opened.before = () => {}
    void opened.write('a.yaml', manifestOf('a', { image: 'a:2' }))
  }
  await keepStaticPods(opened, wanting())
  expect(opened.visible()).toEqual([manifestOf('a', { image: 'a:2' })])
  expect(Object.values(opened.contents())).toContain(manifestOf('a'))
})

test('says what it does not find', async () => {
  const opened = await open('a')
  const problems = [{ pod: 'kube-system/b-one', kind: 'manifestNotFound', message: folder.folder }]
  expect(await keepStaticPods(opened, wanting('b'))).toEqual({ ...clean, problems })
})

test('says what it cannot do, and keeps what it did before', async () => {
  const opened = await open('a', 'b')
  opened.before = (step) => {
    if (step.kind === 'rename' && step.from === 'b.yaml')
      throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' })
  }
  const problems = [{ pod: 'kube-system/b-one', kind: 'failed', message: 'EROFS: read-only file system' }]
  expect(await keepStaticPods(opened, wanting('a', 'b'))).toEqual({ ...clean, parked: ['kube-system/a-one'], problems })
})

test('says that it was given a file, or a folder that is not there', async () => {
  const take = () => Promise.reject(new Error('not to be called'))
  const path = '/etc/pod.yaml'
  const file = await keepStaticPods({ path, take, list: async () => ({ kind: 'isFile' }) }, wanting('a'))
  expect(file.problems).toEqual([{ pod: 'kube-system/a-one', kind: 'folderIsFile', message: path }])
  const gone = await keepStaticPods(
    { path, take, list: () => Promise.reject(new Error('ENOENT: no such file')) },
    wanting('a'),
  )
  expect(gone.problems).toEqual([{ pod: 'kube-system/a-one', kind: 'failed', message: 'ENOENT: no such file' }])
})

class Killed extends Error {}

/** Nothing that was written is without a copy, and a kubelet sees no pod twice. Called thousands of times. */
function check(opened: MemoryFolder, written: readonly string[]): void {
  const copies = Object.values(opened.contents())
  for (const text of written) if (!copies.includes(text)) throw new Error(`there is no copy of ${text}`)
  const names = opened.visible().map((text) => (JSON.parse(text) as { metadata: { name: string } }).metadata.name)
  if (new Set(names).size < names.length) throw new Error(`two of one run: ${names.join(', ')}`)
}

const endings = [
  { name: 'parked', wanted: wanting('a', 'b'), visible: [] as string[] },
  { name: 'put back', wanted: wanting(), visible: ['a', 'b'] },
]

test.each(endings)(
  'killed before or after any step and then $name: never no copy, never two running',
  async (ending) => {
    for (const replaced of [false, true]) {
      for (const first of endings) {
        for (let killAt = 0; killAt < 40; killAt++) {
          const opened = await open('a', 'b')
          const written = [...opened.visible()]
          const plan = [wanting('a', 'b'), wanting(), wanting('a'), first.wanted]
          let count = 0
          const perhapsDie = () => {
            check(opened, written)
            if (count++ === killAt) throw new Killed()
          }
          opened.before = perhapsDie
          opened.after = perhapsDie
          try {
            for (const [index, wanted] of plan.entries()) {
              if (index === 3 && replaced) {
                written.push(manifestOf('a', { image: 'a:2' }))
                await opened.write('a.yaml', manifestOf('a', { image: 'a:2' }))
              }
              await diesWith(opened, wanted)
            }
          } catch (error) {
            if (!(error instanceof Killed)) throw error
          }
          opened.before = () => check(opened, written)
          opened.after = () => check(opened, written)
          await keepStaticPods(opened, ending.wanted)
          check(opened, written)
          const names = opened
            .visible()
            .map((text) => (JSON.parse(text) as { metadata: { name: string } }).metadata.name)
          expect(names.toSorted()).toEqual(ending.visible)
          if (count < killAt) break
        }
      }
    }
  },
)

/** A keeper tells of a step that failed; one that is killed tells nothing. */
async function diesWith(opened: MemoryFolder, wanted: ReturnType<typeof wanting>): Promise<void> {
  const report = await keepStaticPods(opened, wanted)
  if (report.problems.some(({ kind }) => kind === 'failed')) throw new Killed()
}
