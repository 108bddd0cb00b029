import { describe, expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Pod } from './core.ts'
import { availableAtMs, isAvailable, isReady, isTerminating } from './pod-availability.ts'

const since = '2026-01-01T00:00:00Z'
const sinceMs = Date.parse(since)

function podOf(status: 'True' | 'False', metadata: Partial<Pod['metadata']> = {}): Pod {
  const conditions = [{ type: 'Ready', status, lastTransitionTime: since }]
  return stored({ metadata: { namespace: 'shop', ...metadata }, status: { conditions } })
}

const leaving = { deletionTimestamp: since }

describe('a pod', () => {
  test.each([
    { name: 'that says so is ready', pod: podOf('True'), ready: true, terminating: false },
    { name: 'that says it is not is not', pod: podOf('False'), ready: false, terminating: false },
    {
      name: 'that says nothing is not',
      pod: stored<Pod>({ metadata: { namespace: 'shop' } }),
      ready: false,
      terminating: false,
    },
    { name: 'on its way out is not, whatever it says', pod: podOf('True', leaving), ready: false, terminating: true },
  ])('$name', ({ pod, ready, terminating }) => {
    expect(isReady(pod)).toBe(ready)
    expect(isTerminating(pod)).toBe(terminating)
  })

  test.each([
    { name: 'is available at once where no time is asked for', minReadySeconds: 0, afterMs: 0, available: true },
    { name: 'is not available before its time', minReadySeconds: 30, afterMs: 29_999, available: false },
    { name: 'is available when its time has come', minReadySeconds: 30, afterMs: 30_000, available: true },
  ])('$name', ({ minReadySeconds, afterMs, available }) => {
    expect(isAvailable(podOf('True'), minReadySeconds, sinceMs + afterMs)).toBe(available)
    expect(isAvailable(podOf('False'), minReadySeconds, sinceMs + afterMs)).toBe(false)
  })

  test('tells when it will be available', () => {
    expect(availableAtMs(podOf('True'), 30)).toBe(sinceMs + 30_000)
    expect(availableAtMs(podOf('False'), 30)).toBeUndefined()
    expect(availableAtMs(podOf('True', leaving), 0)).toBeUndefined()
  })
})
