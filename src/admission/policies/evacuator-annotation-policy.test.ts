import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evacuatorAnnotationSets } from '../../../test/build/evacuator-annotation-sets.ts'
import { buildPolicedServer } from '../../../test/build/policed-server.ts'
import { validateEvacuatorAnnotations } from '../../api/evacuation/evacuator-annotations.ts'
import { renderFieldProblem } from '../../api/schema/field-problem.ts'
import { buildEvacuatorAnnotationPolicy } from './evacuator-annotation-policy.ts'

// What it says to each kind of mistake is in test/scenarios/pod-annotations.ts, on the real API server too.

const priority = (suffix: string) => `evacuation.coordination.k8s.io/priority_${suffix}`

test('it refuses what validateEvacuatorAnnotations refuses, and nothing else', async () => {
  const { creating } = await buildPolicedServer(buildEvacuatorAnnotationPolicy())
  await fc.assert(
    fc.asyncProperty(evacuatorAnnotationSets, async (annotations) => {
      const isFine = validateEvacuatorAnnotations(annotations).length === 0
      expect(await creating(annotations)).toMatch(isFine ? /^201$/ : /^422 Invalid: .*metadata\.annotations/)
    }),
    { numRuns: 200 },
  )
})

test.each(['-1', '1e3', '10000', '9/controller', '5/', '5/x/y'])('it words %s as we do', async (value) => {
  const annotations = { [priority('a.example.com')]: value }
  const { creating } = await buildPolicedServer(buildEvacuatorAnnotationPolicy())
  const [problem] = validateEvacuatorAnnotations(annotations)
  if (problem === undefined) throw new Error('no problem')
  expect(await creating(annotations)).toContain(renderFieldProblem(problem))
})

test.each([
  { name: 'something else', metadata: { labels: { app: 'web' } }, expected: '200' },
  { name: 'an annotation of others', metadata: { annotations: { 'example.com/a': 'b' } }, expected: '200' },
  { name: 'the same again', metadata: { annotations: { [priority('a')]: '-1' } }, expected: '200' },
  { name: 'that it is taken away', metadata: { annotations: { [priority('a')]: null } }, expected: '200' },
  { name: 'that it becomes right', metadata: { annotations: { [priority('a')]: '1' } }, expected: '200' },
  { name: 'another mistake', metadata: { annotations: { [priority('a')]: '-2' } }, expected: '422' },
  { name: 'something good beside it', metadata: { annotations: { [priority('b')]: '2' } }, expected: '422' },
])('a pod from before with a bad annotation takes $name: $expected', async ({ metadata, expected }) => {
  const { updating } = await buildPolicedServer(buildEvacuatorAnnotationPolicy(), { [priority('a')]: '-1' })
  expect((await updating(metadata)).slice(0, 3)).toBe(expected)
})

test('the number of annotations cannot make it too costly', async () => {
  const { creating } = await buildPolicedServer(buildEvacuatorAnnotationPolicy())
  const many = Array.from({ length: 4_000 }, (_, index) => [priority(`e${index}`), `${index % 9_000}`])
  expect(await creating(Object.fromEntries(many))).toContain('metadata.annotations has 4000 of')
})
