import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiFailure } from '../../server/failure.ts'
import { decodeProtobuf } from './protobuf.ts'

const decode = (base64: string) => decodeProtobuf(Buffer.from(base64, 'base64'))

/** Length first: the wire format of everything that is not a number. */
const block = (tag: number, content: Buffer) => Buffer.concat([Buffer.of(tag, content.length), content])
const text = (tag: number, content: string) => block(tag, Buffer.from(content))
const envelope = (apiVersion: string, kind: string, raw: Buffer) =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    block(0x0a, Buffer.concat([text(0x0a, apiVersion), text(0x12, kind)])),
    block(0x12, raw),
  ])

// As kubectl 1.37 sent them.
const deployment =
  'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErYBCh8KA2FwaRIAGgAiACoAMgA4AEIAWgoKA2FwcBIDYXBpEoQBCAASDAoKCgNhcHASA2FwaRpqChwKABIAGgAiACoAMgA4AEIAWgoKA2FwcBIDYXBpEkoSLAoDYXBwEgVhcHA6MSoAMgoKABAAGFAiACoAQgBqAHIAgAEAiAEAkAEAogEAGgAyAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBACICCgAoADgAGgwIABAAGAAgACgAOAAaACIA'
const budget =
  'azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSNwoRCgF4EgAaACIAKgAyADgAQgASFhIMCgoKA2FwcBIDYXBpGgYIABABGgAaCggAGAAgACgAMAAaACIA'
const quota =
  'azhzAAoTCgJ2MRINUmVzb3VyY2VRdW90YRI8ChEKAXESABoAIgAqADIAOABCABIlCgsKBHBvZHMSAwoBMwoWCgxyZXF1ZXN0cy5jcHUSBgoENTAwbRoAGgAiAA=='
const secret = 'azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAWESAWIaABoAIgA='

test('a deployment: zero replicas were given, what is empty was not', () => {
  const container = { name: 'app', image: 'app:1', ports: [{ containerPort: 80 }] }
  expect(decode(deployment)).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'api', labels: { app: 'api' } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'api' } },
      template: { metadata: { labels: { app: 'api' } }, spec: { containers: [container] } },
    },
  })
})

test('numbers that may be texts, quantities and bytes are as JSON has them', () => {
  expect(decode(budget)).toMatchObject({ spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'api' } } } })
  expect(decode(quota)).toMatchObject({ spec: { hard: { pods: '3', 'requests.cpu': '500m' } } })
  expect(decode(secret)).toMatchObject({ kind: 'Secret', data: { a: Buffer.from('b').toString('base64') } })
})

test('what stands inline in Go stands inline in JSON', () => {
  // Pod { spec { volumes { name, volumeSource { emptyDir {} } } } }
  const volume = Buffer.concat([text(0x0a, 'scratch'), block(0x12, block(0x12, Buffer.alloc(0)))])
  const pod = block(0x12, block(0x0a, volume))
  expect(decodeProtobuf(envelope('v1', 'Pod', pod))).toMatchObject({
    spec: { volumes: [{ name: 'scratch', emptyDir: {} }] },
  })
})

test('times are times, with and without fractions, and no time is none', () => {
  // Lease { spec { acquireTime, renewTime } }: field 3 empty, field 4 with seconds and nanos.
  const micro = Buffer.of(8, 0x80, 0x94, 0xeb, 0xdc, 3, 16, 0xc0, 0x84, 0x3d)
  const lease = block(0x12, Buffer.concat([block(0x1a, Buffer.alloc(0)), block(0x22, micro)]))
  expect(decodeProtobuf(envelope('coordination.k8s.io/v1', 'Lease', lease))).toEqual({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    spec: { renewTime: '2001-09-09T01:46:40.001000Z' },
  })
})

test('options of a deletion come in any group', () => {
  const options = Buffer.concat([Buffer.of(8, 0), block(0x12, text(0x0a, 'u1'))])
  expect(decodeProtobuf(envelope('apps/v1', 'DeleteOptions', options))).toEqual({
    apiVersion: 'apps/v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds: 0,
    preconditions: { uid: 'u1' },
  })
})

test('labels may be called anything, and change no prototype', () => {
  const label = Buffer.concat([text(0x0a, '__proto__'), text(0x12, 'x')])
  const decoded = decodeProtobuf(envelope('v1', 'ConfigMap', block(0x0a, block(0x5a, label)))) as {
    metadata: { labels: object }
  }
  expect(Object.keys(decoded.metadata.labels)).toEqual(['__proto__'])
})

test.each([
  { name: 'JSON', bytes: Buffer.from('{}'), code: 400 },
  { name: 'a kind that is not known here', bytes: envelope('sea.example/v1', 'Boat', Buffer.alloc(0)), code: 415 },
  { name: 'half a message', bytes: Buffer.from(deployment, 'base64').subarray(0, 60), code: 400 },
  { name: 'nothing', bytes: Buffer.alloc(0), code: 400 },
])('refuses $name', ({ bytes, code }) => {
  expect(() => decodeProtobuf(bytes)).toThrow(expect.objectContaining({ code }))
})

test('whatever bytes come, the answer is an object or a refusal', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.boolean(), (noise, isWrapped) => {
      const bytes = isWrapped ? envelope('v1', 'Pod', Buffer.from(noise)) : Buffer.concat([Buffer.from('k8s\0'), noise])
      try {
        expect(decodeProtobuf(bytes)).toBeTypeOf('object')
      } catch (error) {
        expect(error).toBeInstanceOf(ApiFailure)
      }
    }),
  )
})
