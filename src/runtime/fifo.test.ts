import fc from 'fast-check'
import { expect, test } from 'vitest'

import { Fifo, type FifoPlace } from './fifo.ts'

test('behaves as an array does, whoever leaves from wherever', () => {
  const steps = fc.array(
    fc.oneof(
      fc.constant({ kind: 'push' as const }),
      fc.constant({ kind: 'shift' as const }),
      fc.record({ kind: fc.constant('leave' as const), index: fc.nat() }),
    ),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(steps, (walk) => {
      const fifo = new Fifo<number>()
      const places: FifoPlace[] = []
      let model: number[] = []
      for (const step of walk) {
        if (step.kind === 'push') {
          model.push(places.length)
          places.push(fifo.push(places.length))
        } else if (step.kind === 'shift') {
          expect(fifo.shift()).toBe(model.shift())
        } else if (places.length > 0) {
          const index = step.index % places.length
          expect(places[index]?.leave()).toBe(model.includes(index))
          model = model.filter((item) => item !== index)
        }
        expect(fifo.length).toBe(model.length)
      }
      expect(model.map(() => fifo.shift())).toEqual(model)
    }),
  )
})
