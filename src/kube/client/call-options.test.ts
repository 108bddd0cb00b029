import { expect, test } from 'vitest'
import { dryRunQuery, selectionQuery, sentOf } from './call-options.ts'

test('what is not asked for does not appear', () => {
  expect(selectionQuery({})).toEqual({})
  expect(dryRunQuery({ dryRun: false })).toEqual({})
  expect(sentOf({ signal: undefined })).toEqual({})
})

test('selectors and a dry run are parts of the query, the namespace is part of the path', () => {
  const selection = { namespace: 'shop', labelSelector: 'a=b', fieldSelector: 'spec.nodeName=one' }
  expect(selectionQuery(selection)).toEqual({ labelSelector: 'a=b', fieldSelector: 'spec.nodeName=one' })
  expect(dryRunQuery({ dryRun: true })).toEqual({ query: { dryRun: 'All' } })
})
