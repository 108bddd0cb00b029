import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// docs/security.md lists every place that deletes a pod without asking its budget. This finds them by the client's own
// method, so that none can be added in silence.

const root = join(import.meta.dirname, '..')
const files = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('src/embedded/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

/** The first argument of each call of `Kube.delete`, by file. Other classes have a `delete` whose argument is no kind. */
const deletions = files.flatMap(({ path, text }) =>
  Array.from(text.matchAll(/[kK]ube\.delete\(\s*([\w.]+)/g), ([, kind = '']) => ({ path, kind })),
)
const asked = files.filter(
  ({ text }) => /kind: 'deletePod'[^']*(,|\})/.test(text) && !/readonly kind: 'deletePod'/.test(text),
)

test('every deletion names its kind, or goes through the one place that refuses pods', () => {
  const others = deletions.filter(({ kind }) => kind !== 'pods')
  expect(others.map(({ path, kind }) => `${path}: ${kind}`).toSorted()).toEqual([
    'src/agent/leave.ts: leases',
    'src/cli/commands/finish.ts: nodeMaintenances',
    'src/evacuation-client/evacuation-writer.ts: evacuations',
    'src/maintenance/shutdown/shutdown-writes.ts: nodeMaintenances',
    'src/manager/install/apply.ts: resource',
  ])
})

test('nothing goes around the client', () => {
  const deleting = files.filter(({ text }) => text.includes("method: 'DELETE'")).map(({ path }) => path)
  expect(deleting).toEqual(['src/kube/client/client.ts'])
})

test('docs/security.md lists the places that delete pods, and no others', () => {
  const found = [...deletions.filter(({ kind }) => kind === 'pods'), ...asked].map(({ path }) => path)
  const security = readFileSync(join(root, 'docs/security.md'), 'utf8')
  const section = security.split('\n## ').find((text) => text.startsWith('Which pods are deleted')) ?? ''
  const listed = Array.from(section.matchAll(/^\| `(src\/[^`]+)`/gm), ([, path = '']) => path)
  expect(listed.toSorted()).toEqual([...new Set(found)].toSorted())
  expect(listed.length).toBeGreaterThan(0)
})
