/** What Node takes by itself under the memory limit of the chart, 512 MiB. */
export const asInstalled: readonly string[] = ['--max-old-space-size=256', '--max-semi-space-size=4']
