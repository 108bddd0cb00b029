import { expect, test } from 'vitest'
import { allows, type Rule } from './rule.ts'

const user = { name: 'joe', groups: [] }
const asked = { user, verb: 'get', group: '', resource: 'pods', subresource: undefined, namespace: 'shop', name: 'a' }
const rule: Rule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }

test.each([
  { name: 'what it says', rule, asked, expected: true },
  { name: 'another verb', rule, asked: { ...asked, verb: 'delete' }, expected: false },
  { name: 'any verb', rule: { ...rule, verbs: ['*'] }, asked: { ...asked, verb: 'delete' }, expected: true },
  { name: 'another group', rule, asked: { ...asked, group: 'apps' }, expected: false },
  { name: 'any group', rule: { ...rule, apiGroups: ['*'] }, asked: { ...asked, group: 'apps' }, expected: true },
  { name: 'another resource', rule, asked: { ...asked, resource: 'nodes' }, expected: false },
  { name: 'a subresource, by the resource', rule, asked: { ...asked, subresource: 'log' }, expected: false },
  {
    name: 'a subresource of its own',
    rule: { ...rule, resources: ['pods/log'] },
    asked: { ...asked, subresource: 'log' },
    expected: true,
  },
  {
    name: 'a subresource of anything',
    rule: { ...rule, resources: ['*/log'] },
    asked: { ...asked, subresource: 'log' },
    expected: true,
  },
  {
    name: 'any resource, subresources included',
    rule: { ...rule, resources: ['*'] },
    asked: { ...asked, subresource: 'log' },
    expected: true,
  },
  { name: 'its name', rule: { ...rule, resourceNames: ['a'] }, asked, expected: true },
  { name: 'another name', rule: { ...rule, resourceNames: ['b'] }, asked, expected: false },
  { name: 'no name', rule: { ...rule, resourceNames: ['a'] }, asked: { ...asked, name: undefined }, expected: false },
  {
    name: 'a path, by a resource',
    rule: { ...rule, resources: ['*'] },
    asked: { ...asked, path: '/api' },
    expected: false,
  },
  {
    name: 'a path',
    rule: { verbs: ['get'], nonResourceURLs: ['/api'] },
    asked: { ...asked, path: '/api' },
    expected: true,
  },
  {
    name: 'a path below another',
    rule: { verbs: ['get'], nonResourceURLs: ['/api'] },
    asked: { ...asked, path: '/api/v1' },
    expected: false,
  },
  {
    name: 'a path by its beginning',
    rule: { verbs: ['get'], nonResourceURLs: ['/api/*'] },
    asked: { ...asked, path: '/api/v1' },
    expected: true,
  },
])('$name: $expected', ({ rule: given, asked: attributes, expected }) => {
  expect(allows(given, attributes)).toBe(expected)
})
