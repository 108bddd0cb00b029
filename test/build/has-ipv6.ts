import { networkInterfaces } from 'node:os'

/** Whether this machine can be reached at ::1. */
export const hasIPv6 = Object.values(networkInterfaces()).some((each = []) =>
  each.some(({ address }) => address === '::1'),
)
