import { describe, expect, test } from 'vitest'

import { parseExecConfig } from './exec-config.ts'

const v1 = 'client.authentication.k8s.io/v1'
const v1beta1 = 'client.authentication.k8s.io/v1beta1'
const good = { apiVersion: v1, command: 'login', interactiveMode: 'Never' }
const parse = (exec: unknown) => parseExecConfig({ place: 'user "dev"', folder: '/etc/kube', fields: { exec } })

test('takes everything a plugin needs', () => {
  const exec = {
    ...good,
    args: ['get-token', '--cluster=x'],
    env: [{ name: 'PROFILE', value: 'prod' }, { name: 'EMPTY' }],
    installHint: 'brew install login',
    provideClusterInfo: true,
  }
  expect(parse(exec)).toEqual({
    place: 'user "dev": exec',
    apiVersion: v1,
    command: 'login',
    args: ['get-token', '--cluster=x'],
    environment: { PROFILE: 'prod', EMPTY: '' },
    installHint: 'brew install login',
    provideClusterInfo: true,
  })
})

test.each([
  { command: 'login', expected: 'login' },
  { command: './bin/login', expected: '/etc/kube/bin/login' },
  { command: '../login', expected: '/etc/login' },
  { command: '/usr/bin/login', expected: '/usr/bin/login' },
])('command $command runs $expected', ({ command, expected }) => {
  expect(parse({ ...good, command }).command).toBe(expected)
})

test.each([
  { apiVersion: v1, interactiveMode: 'Never' },
  { apiVersion: v1, interactiveMode: 'IfAvailable' },
  { apiVersion: v1beta1, interactiveMode: undefined },
  { apiVersion: v1beta1, interactiveMode: 'IfAvailable' },
])('accepts $apiVersion with interactiveMode $interactiveMode', (exec) => {
  expect(parse({ ...good, ...exec }).apiVersion).toBe(exec.apiVersion)
})

test('a null list, as Go writes it, is an empty one', () => {
  expect(parse({ ...good, args: null, env: null })).toMatchObject({ args: [], environment: {} })
})

describe('refuses', () => {
  const versions = `use one of: ${v1}, ${v1beta1}`
  test.each([
    { exec: 'login', expected: 'user "dev": exec must be a mapping' },
    { exec: { ...good, command: '' }, expected: 'user "dev": exec has no command' },
    { exec: { ...good, apiVersion: undefined }, expected: `user "dev": exec has no apiVersion; ${versions}` },
    {
      exec: { ...good, apiVersion: 'client.authentication.k8s.io/v1alpha1' },
      expected: `has apiVersion client.authentication.k8s.io/v1alpha1, which is not supported; ${versions}`,
    },
    { exec: { ...good, interactiveMode: 'Always' }, expected: 'has interactiveMode Always, but Lifeboat gives' },
    { exec: { ...good, interactiveMode: 'Maybe' }, expected: 'has the unknown interactiveMode "Maybe"; use Never or' },
    { exec: { ...good, interactiveMode: undefined }, expected: 'has no interactiveMode; use Never or IfAvailable' },
    { exec: { ...good, apiVersion: v1beta1, interactiveMode: 'Always' }, expected: 'has interactiveMode Always' },
    { exec: { ...good, args: 'x' }, expected: 'exec: args must be a list' },
    { exec: { ...good, args: [7] }, expected: 'exec: args must be texts' },
    { exec: { ...good, env: [{ value: 'x' }] }, expected: 'exec: env[0] has no name' },
    { exec: { ...good, env: ['A=b'] }, expected: 'exec: env[0] has no name' },
    { exec: { ...good, provideClusterInfo: 'yes' }, expected: 'exec: provideClusterInfo must be true or false' },
  ])('$expected', ({ exec, expected }) => expect(() => parse(exec)).toThrow(expected))
})
