import { describe, expect, test } from 'vitest'
import { isActiveStage, mayFollow, stageRule, stages, type Stage } from './stage.ts'

describe('mayFollow', () => {
  test('is the table of the NodeMaintenance document', () => {
    const allowed = stages.flatMap((from) => stages.filter((to) => mayFollow(from, to)).map((to) => `${from} ${to}`))
    expect(allowed).toEqual([
      'Idle Idle',
      'Idle Cordon',
      'Idle Drain',
      'Idle Complete',
      'Cordon Cordon',
      'Cordon Drain',
      'Cordon Complete',
      'Drain Drain',
      'Drain Complete',
      'Complete Complete',
    ])
  })

  test('never goes back', () => {
    const order = (stage: Stage) => stages.indexOf(stage)
    for (const from of stages) {
      for (const to of stages) expect(mayFollow(from, to)).toBe(order(to) >= order(from))
    }
  })
})

test('the CEL rule is written from the table', () => {
  expect(stageRule.rule).toBe(
    "self == oldSelf || (oldSelf == 'Idle' && self in ['Cordon', 'Drain', 'Complete']) || (oldSelf == 'Cordon' && self in ['Drain', 'Complete']) || (oldSelf == 'Drain' && self in ['Complete'])",
  )
})

test('only Cordon and Drain act on nodes', () => {
  expect(stages.filter(isActiveStage)).toEqual(['Cordon', 'Drain'])
})
