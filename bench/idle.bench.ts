// what Lifeboat costs while there is nothing to do, in a cluster of 5,000 nodes and 150,000 pods
import { measureIdle } from './measure-idle.ts'
import { printLine, renderFigure } from './report.ts'

const size = { nodes: 5_000, pods: 150_000 }
const seconds = { settleSeconds: 30, measureSeconds: 60 }
const limits = { megabytesMax: 150, requestsPerSecondMax: 1 }
/** What it costs to follow which nodes are healthy, when all of them are and say so every ten seconds. */
const ofNodes = { megabytesMax: 10, percentMax: 1, requestsPerSecondMax: 0.05 }
/** As no kubelet does by itself: the status of a node with every sign of life, and not only where it changed. */
const chatty = { reportEverySeconds: 10, settleSeconds: 15, measureSeconds: 30 }

console.log(`${size.nodes} nodes and ${size.pods} pods on the embedded cluster, for ${seconds.measureSeconds} s`)
const figures = await measureIdle({ ...size, ...seconds })
const { memoryMegabytes, heapMegabytes, requestsPerSecond, requests, watches, podReads } = figures
printLine(renderFigure({ what: 'resident memory', unit: 'MB', value: memoryMegabytes, max: limits.megabytesMax }))
printLine(renderFigure({ what: 'heap in use', unit: 'MB', value: heapMegabytes }))
printLine(renderFigure({ what: 'processor', unit: '% of a core', value: figures.processorPercent }))
const max = limits.requestsPerSecondMax
printLine(renderFigure({ what: 'requests', unit: 'a second', value: requestsPerSecond, max }))
for (const [name, count] of requests) console.log(`  ${count} ${name}`)
const ofAll = podReads.filter((name) => !name.includes('Selector='))
printLine(renderFigure({ what: 'lists and watches of all pods', unit: 'requests', value: ofAll.length, max: 0 }))
for (const name of watches) console.log(`  ${name}`)

const gatesOff = ['PodEvictPolicy']
console.log('the same without the gate PodEvictPolicy')
const without = await measureIdle({ ...size, ...seconds, gatesOff })
const more = (name: string, unit: string, value: (of: typeof figures) => number, most: number) => {
  console.log(`  ${name}: ${value(without).toFixed(2)} without, ${value(figures).toFixed(2)} with it, ${unit}`)
  printLine(renderFigure({ what: `more ${name}`, unit, value: value(figures) - value(without), max: most }))
}
more('resident memory', 'MB', (of) => of.memoryMegabytes, ofNodes.megabytesMax)
more('memory held', 'MB', ({ heldMegabytes }) => heldMegabytes, ofNodes.megabytesMax)
more('processor', '% of a core', ({ processorPercent }) => processorPercent, ofNodes.percentMax)
more('requests', 'a second', (of) => of.requestsPerSecond, ofNodes.requestsPerSecondMax)

console.log(`every node writes its status every ${chatty.reportEverySeconds} s`)
const [quiet, busy] = [await measureIdle({ ...size, ...chatty, gatesOff }), await measureIdle({ ...size, ...chatty })]
const [percent, megabytes] = [
  busy.processorPercent - quiet.processorPercent,
  busy.memoryMegabytes - quiet.memoryMegabytes,
]
printLine(renderFigure({ what: 'more processor', unit: '% of a core', value: percent }))
printLine(renderFigure({ what: 'more resident memory', unit: 'MB', value: megabytes }))
