/** There, what cannot be run is a failure and not left out. */
export function isContinuousIntegration(): boolean {
  return !['', '0', 'false'].includes(process.env['CI'] ?? '')
}
