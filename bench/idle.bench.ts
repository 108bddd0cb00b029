// what Lifeboat costs while there is nothing to do, in a cluster of 5,000 nodes and 150,000 pods
import { measureIdle } from './measure-idle.ts'
import { printLine, renderFigure } from './report.ts'

const size = { nodes: 5_000, pods: 150_000 }
const seconds = { settleSeconds: 30, measureSeconds: 60 }
const limits = { megabytesMax: 150, requestsPerSecondMax: 1 }

console.log(`${size.nodes} nodes and ${size.pods} pods on the embedded cluster, for ${seconds.measureSeconds} s`)
const figures = await measureIdle({ ...size, ...seconds })
const { memoryMegabytes, heapMegabytes, requestsPerSecond, requests, watches, podReads } = figures
printLine(renderFigure({ what: 'resident memory', unit: 'MB', value: memoryMegabytes, max: limits.megabytesMax }))
printLine(renderFigure({ what: 'heap in use', unit: 'MB', value: heapMegabytes }))
const max = limits.requestsPerSecondMax
printLine(renderFigure({ what: 'requests', unit: 'a second', value: requestsPerSecond, max }))
for (const [name, count] of requests) console.log(`  ${count} ${name}`)
const ofAll = podReads.filter((name) => !name.includes('Selector='))
printLine(renderFigure({ what: 'lists and watches of all pods', unit: 'requests', value: ofAll.length, max: 0 }))
for (const name of watches) console.log(`  ${name}`)
