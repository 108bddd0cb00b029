// what 5,000 node agents cost while there is nothing to do: requests at the API server, memory of Lifeboat
import { measureIdle } from './measure-idle.ts'
import { printLine, renderFigure } from './report.ts'

const size = { nodes: 5_000, pods: 0 }
const seconds = { settleSeconds: 30, measureSeconds: 60 }
const limits = { requestsPerSecondMax: 20, megabytesMoreMax: 20 }

console.log(`${size.nodes} nodes on the embedded cluster, without and with an agent each, ${seconds.measureSeconds} s`)
const without = await measureIdle({ ...size, ...seconds })
const figures = await measureIdle({ ...size, ...seconds, agents: size.nodes })
const { requests, requestsPerSecond, renewalsPerSecond, memoryMegabytes, heapMegabytes, heldMegabytes } = figures
const watches = requests.reduce((sum, [name, count]) => (name.startsWith('WATCH') ? sum + count : sum), 0)
const watchesPerSecond = watches / seconds.measureSeconds
printLine(renderFigure({ what: 'watches seen', unit: 'a second', value: watchesPerSecond }))
// A watch lasts for minutes: how many of them end within the time measured is chance.
printLine(renderFigure({ what: 'watches that end, on average', unit: 'a second', value: renewalsPerSecond }))
const inAll = requestsPerSecond - watchesPerSecond + Math.max(watchesPerSecond, renewalsPerSecond)
printLine(renderFigure({ what: 'requests in all', unit: 'a second', value: inAll, max: limits.requestsPerSecondMax }))
const others = requests.filter(([name]) => !name.startsWith('WATCH'))
for (const [name, count] of others) console.log(`  ${count} ${name}`)
const compare = (what: string, before: number, after: number) =>
  console.log(`${what.padEnd(40)} ${before.toFixed(1)} MB without agents, ${after.toFixed(1)} MB with them`)
compare('resident memory', without.memoryMegabytes, memoryMegabytes)
compare('heap in use', without.heapMegabytes, heapMegabytes)
compare('resident memory, garbage collected', without.heldMegabytes, heldMegabytes)
// How far the young generation of the heap has grown depends on how much was ever done, not on what is held.
const max = limits.megabytesMoreMax
printLine(renderFigure({ what: 'more', unit: 'MB', value: heldMegabytes - without.heldMegabytes, max }))
