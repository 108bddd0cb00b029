import type { Stored } from '../server/store.ts'
import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import { ControllerGround } from '../../../test/build/controller-ground.ts'
import {
  applyClaims,
  controllerOf,
  controllerReference,
  orphansOf,
  ownerGroup,
  planClaims,
  ownersConcerned,
} from './ownership.ts'

const owner = { metadata: storedMeta({ name: 'web', namespace: 'default', uid: 'u1' }) }
const leaving = { metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
const selector = { matchLabels: { app: 'web' } }
const mine = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1', controller: true }]
const others = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'shop', uid: 'u2', controller: true }]
const pod = (metadata: object) => ({
  metadata: storedMeta({ name: 'pod', namespace: 'default', ...metadata }),
})

describe('a pod', () => {
  test.each([
    {
      name: 'that matches and is mine stays',
      metadata: { labels: { app: 'web' }, ownerReferences: mine },
      as: 'owned',
    },
    { name: 'that is mine and no longer matches goes', metadata: { ownerReferences: mine }, as: 'release' },
    { name: 'that matches and is nobody’s comes', metadata: { labels: { app: 'web' } }, as: 'adopt' },
    { name: 'of somebody else is theirs', metadata: { labels: { app: 'web' }, ownerReferences: others }, as: 'none' },
    { name: 'that does not match is none of my business', metadata: {}, as: 'none' },
    {
      name: 'that is on its way out is not taken',
      metadata: { labels: { app: 'web' }, deletionTimestamp: '2026-01-01T00:00:00Z' },
      as: 'none',
    },
  ])('$name', ({ metadata, as }) => {
    const claims = planClaims(owner, selector, [pod(metadata)])
    expect({ owned: claims.owned.length, adopt: claims.adopt.length, release: claims.release.length }).toEqual({
      owned: Number(as === 'owned'),
      adopt: Number(as === 'adopt'),
      release: Number(as === 'release'),
    })
  })

  test('neither comes nor goes while its owner is on its way out', () => {
    const claims = planClaims(leaving, selector, [pod({ labels: { app: 'web' } }), pod({ ownerReferences: mine })])
    expect([claims.adopt, claims.release]).toEqual([[], []])
  })
})

test('claims are carried out, and someone else’s change in between is no failure', async () => {
  await using ground = new ControllerGround([])
  await ground.create('configmaps', { metadata: { name: 'one', namespace: 'default' } })
  const [seen] = ground.store.list('configmaps')
  if (seen === undefined) throw new Error('the object is there')
  const reference = controllerReference({ apiVersion: 'apps/v1', kind: 'ReplicaSet' }, owner.metadata)
  await ground.patch('configmaps', 'one', { data: { changed: 'true' } })
  await applyClaims(ground.parts, 'configmaps', { owned: [], adopt: [seen], release: [] }, reference)
  expect(controllerOf(ground.store.list('configmaps')[0]?.metadata ?? owner.metadata)).toBeUndefined()
  const now = ground.store.list('configmaps')
  await applyClaims(ground.parts, 'configmaps', { owned: [], adopt: now, release: [] }, reference)
  const adopted = ground.store.list('configmaps')
  expect(adopted[0]?.metadata.ownerReferences).toEqual([reference])
  await applyClaims(ground.parts, 'configmaps', { owned: [], adopt: [], release: adopted }, reference)
  expect(ground.store.list('configmaps')[0]?.metadata.ownerReferences).toBeUndefined()
})

test('an index keeps objects by their controller, and those without one by their namespace', () => {
  expect(ownerGroup(storedMeta({ namespace: 'default', ownerReferences: mine }))).toBe('u1')
  expect(ownerGroup(storedMeta({ namespace: 'default' }))).toBe(orphansOf('default'))
})

describe('whom a change of a pod concerns', () => {
  const stored = (metadata: object) =>
    ({ metadata: { name: 'pod', namespace: 'shop', uid: 'p', resourceVersion: '1', ...metadata } }) as Stored
  const ownedBy = (kind: string, name: string) => ({
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: name, controller: true }],
  })
  const takers = [
    {
      metadata: storedMeta({ namespace: 'shop', name: 'web' }),
      spec: { selector: { matchLabels: { app: 'web' } } },
    },
    {
      metadata: storedMeta({ namespace: 'shop', name: 'mail' }),
      spec: { selector: { matchLabels: { app: 'mail' } } },
    },
    { metadata: storedMeta({ namespace: 'shop', name: 'without' }), spec: {} },
  ]
  test.each([
    { name: 'the one who has it', now: ownedBy('DaemonSet', 'web'), before: undefined, expected: ['shop/web'] },
    { name: 'nobody of another kind', now: ownedBy('ReplicaSet', 'web'), before: undefined, expected: [] },
    {
      name: 'the one who has it and the one who had it',
      now: ownedBy('DaemonSet', 'web'),
      before: ownedBy('DaemonSet', 'mail'),
      expected: ['shop/web', 'shop/mail'],
    },
    {
      name: 'the one who had it and the one who might take it',
      now: { labels: { app: 'web' } },
      before: ownedBy('DaemonSet', 'mail'),
      expected: ['shop/mail', 'shop/web'],
    },
  ])('$name', ({ now, before, expected }) => {
    const previous = before === undefined ? undefined : stored(before)
    expect(ownersConcerned('DaemonSet', stored(now), previous, () => takers)).toEqual(expected)
  })
})
