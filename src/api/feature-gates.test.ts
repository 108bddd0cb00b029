import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  featureGateDefaults,
  featureGateNames,
  FeatureGatesError,
  knowsDaemonSets,
  knowsMaintenances,
  parseFeatureGates,
} from './feature-gates.ts'

describe('parseFeatureGates', () => {
  test.each([
    { name: 'nothing keeps the defaults', text: '', off: [] },
    { name: 'one gate is turned off', text: 'PodEvictPolicy=false', off: ['PodEvictPolicy'] },
    { name: 'blanks and a trailing comma do no harm', text: ' EvacuationAPI = false , ', off: ['EvacuationAPI'] },
    { name: 'true stays true', text: 'EvacuationAPI=true,PodEvictPolicy=false', off: ['PodEvictPolicy'] },
  ])('$name', ({ text, off }) => {
    const gates = parseFeatureGates(text)
    expect(featureGateNames.filter((gate) => !gates[gate])).toEqual(off)
  })

  test.each([
    { name: 'an unknown gate', text: 'Teleport=true', says: ['Teleport', ...featureGateNames] },
    { name: 'a property that every object has', text: 'toString=true', says: ['toString'] },
    { name: 'a gate without a value', text: 'EvacuationAPI', says: ['EvacuationAPI', 'EvacuationAPI=false'] },
    { name: 'a value that is no truth value', text: 'EvacuationAPI=off', says: ['EvacuationAPI=off'] },
    { name: 'two equal signs', text: 'EvacuationAPI=true=false', says: ['EvacuationAPI=true=false'] },
    { name: 'a gate set twice', text: 'EvacuationAPI=true,EvacuationAPI=false', says: ['EvacuationAPI', 'twice'] },
  ])('refuses $name', ({ text, says }) => {
    const parse = () => parseFeatureGates(text)
    expect(parse).toThrow(FeatureGatesError)
    for (const part of says) expect(parse).toThrow(part)
  })

  test('reads back whatever set of gates it is given', () => {
    const gates = fc.record(Object.fromEntries(featureGateNames.map((gate) => [gate, fc.boolean()])))
    fc.assert(
      fc.property(gates, (wanted) => {
        const text = Object.entries(wanted).map(([gate, on]) => `${gate}=${on}`)
        expect(parseFeatureGates(text.join(','))).toEqual(wanted)
      }),
    )
  })

  test('leaves the defaults alone', () => {
    parseFeatureGates('EvacuationAPI=false')
    expect(featureGateDefaults.EvacuationAPI).toBe(true)
  })
})

test.each([
  { off: {}, expected: true },
  { off: { NodeMaintenanceAwareDaemonSet: false }, expected: false },
  { off: { DeclarativeNodeMaintenance: false }, expected: false },
  { off: { EvacuationAPI: false }, expected: false },
  { off: { EvictionInterception: false, PodEvictPolicy: false }, expected: true },
])('with $off DaemonSets are known: $expected', ({ off, expected }) => {
  expect(knowsDaemonSets({ ...featureGateDefaults, ...off })).toBe(expected)
})

test.each([
  { off: {}, expected: true },
  { off: { NodeMaintenanceAwareDaemonSet: false }, expected: true },
  { off: { DeclarativeNodeMaintenance: false }, expected: false },
  { off: { EvacuationAPI: false }, expected: false },
])('with $off maintenances are known: $expected', ({ off, expected }) => {
  expect(knowsMaintenances({ ...featureGateDefaults, ...off })).toBe(expected)
})
