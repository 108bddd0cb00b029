import { errors } from 'undici'
import { expect, test } from 'vitest'
import { TransportError } from './transport.ts'
import { asTransportError, isOf } from './undici-errors.ts'

const coded = (code: string, message = 'it failed') => Object.assign(new Error(message), { code })

test.each([
  { name: 'no connection', cause: coded('ECONNREFUSED'), sent: 'no', message: 'it failed' },
  { name: 'a pool that is closed', cause: new errors.ClientDestroyedError('gone'), sent: 'no', message: 'gone' },
  { name: 'a certificate of somewhere else', cause: coded('CERT_HAS_EXPIRED'), sent: 'no', message: 'it failed' },
  { name: 'no answer in time', cause: new errors.HeadersTimeoutError('late'), sent: 'maybe', message: 'late' },
  { name: 'a connection that breaks', cause: coded('ECONNRESET'), sent: 'maybe', message: 'it failed' },
  { name: 'an error without words', cause: coded('EPIPE', ''), sent: 'maybe', message: 'EPIPE' },
  { name: 'what is no error', cause: 'odd', sent: 'maybe', message: 'odd' },
])('after $name the request was sent: $sent', ({ cause, sent, message }) => {
  const error = asTransportError(cause)
  expect(error).toBeInstanceOf(TransportError)
  expect(error).toMatchObject({ sent, message, cause })
})

test('what is told as it should be already stays', () => {
  const error = new TransportError('closed', { sent: 'no' })
  expect(asTransportError(error)).toBe(error)
})

test('what it was is known afterwards', () => {
  const late = asTransportError(new errors.HeadersTimeoutError('late'))
  expect([isOf(errors.HeadersTimeoutError, late), isOf(errors.BodyTimeoutError, late)]).toEqual([true, false])
  expect(isOf(errors.HeadersTimeoutError, new errors.HeadersTimeoutError('late'))).toBe(false)
})
