import { describe, expect, test } from 'vitest'
import { parsedPolicy, policyText, problemsIn } from '../../../test/build/descheduler-policy.ts'
import { weekdays } from './policy.ts'

const nothing = {
  maxPercentPerOwner: undefined,
  returnBackoffMs: undefined,
  nodeFitAsScheduler: false,
  window: undefined,
}

describe('the section takes', () => {
  test.each([
    { name: 'nothing at all', section: 'null', expected: {} },
    { name: 'nothing', section: '{}', expected: {} },
    { name: 'a share of an owner', section: '{ maxPercentPerOwner: 25 }', expected: { maxPercentPerOwner: 25 } },
    { name: 'a backoff', section: '{ returnBackoff: 1m }', expected: { returnBackoffMs: 60_000 } },
    {
      name: 'nodeFit as the scheduler sees it',
      section: '{ nodeFit: AsScheduler }',
      expected: { nodeFitAsScheduler: true },
    },
    {
      name: 'nodeFit as upstream sees it',
      section: '{ nodeFit: AsDescheduler }',
      expected: { nodeFitAsScheduler: false },
    },
    {
      name: 'a window of every day in UTC',
      section: '{ window: { from: "22:00", to: "06:30" } }',
      expected: { window: { days: weekdays, fromMinute: 1_320, toMinute: 390, timeZone: 'UTC' } },
    },
    {
      name: 'a window with all of its fields, without quotes',
      section: '{ window: { days: [Friday, Monday, Friday], from: 00:00, to: 24:00, timeZone: Europe/Prague } }',
      expected: { window: { days: ['Monday', 'Friday'], fromMinute: 0, toMinute: 1_440, timeZone: 'Europe/Prague' } },
    },
  ])('$name', ({ section, expected }) => {
    expect(parsedPolicy(policyText(`lifeboat: ${section}`)).lifeboat).toStrictEqual({ ...nothing, ...expected })
  })
})

const mustBeTime = 'must be a time of day, such as "22:00"'
const mustBeZone = 'must be the name of a time zone, such as Europe/Prague'
describe('the section does not take', () => {
  test.each([
    {
      name: 'an unknown field',
      section: '{ maxPercentPerOwners: 5 }',
      expected: ['lifeboat.maxPercentPerOwners is 5: there is no such field; did you mean maxPercentPerOwner?'],
    },
    {
      name: 'a share of nothing',
      section: '{ maxPercentPerOwner: 0 }',
      expected: ['lifeboat.maxPercentPerOwner is 0: must be a whole number from 1 to 100'],
    },
    {
      name: 'more than the whole',
      section: '{ maxPercentPerOwner: 101 }',
      expected: ['lifeboat.maxPercentPerOwner is 101: must be a whole number from 1 to 100'],
    },
    {
      name: 'a share with a percent sign',
      section: '{ maxPercentPerOwner: 50% }',
      expected: ['lifeboat.maxPercentPerOwner is "50%": must be a whole number from 1 to 100'],
    },
    {
      name: 'a backoff of less than a minute',
      section: '{ returnBackoff: 59s }',
      expected: ['lifeboat.returnBackoff is "59s": must be a duration of at least 1m'],
    },
    {
      name: 'a backoff without a unit',
      section: '{ returnBackoff: 60 }',
      expected: ['lifeboat.returnBackoff is 60: must be a duration such as 1h30m, 1.5h, 90s or 300ms'],
    },
    {
      name: 'another nodeFit',
      section: '{ nodeFit: true }',
      expected: ['lifeboat.nodeFit is true: must be one of AsScheduler, AsDescheduler'],
    },
    {
      name: 'a window without times',
      section: '{ window: {} }',
      expected: [`lifeboat.window.from is missing: ${mustBeTime}`, `lifeboat.window.to is missing: ${mustBeTime}`],
    },
    {
      name: 'times that are not on a clock',
      section: '{ window: { from: "24:00", to: "9:00" } }',
      expected: [`lifeboat.window.from is "24:00": ${mustBeTime}`, `lifeboat.window.to is "9:00": ${mustBeTime}`],
    },
    {
      name: 'an hour as number',
      section: '{ window: { from: 22, to: "06:00" } }',
      expected: [`lifeboat.window.from is 22: ${mustBeTime}`],
    },
    {
      name: 'a window that ends as it begins',
      section: '{ window: { from: "06:00", to: "06:00" } }',
      expected: ['lifeboat.window.to is "06:00": must not be the same as from; a whole day is from 00:00 to 24:00'],
    },
    {
      name: 'a short name of a day',
      section: '{ window: { days: [Mon], from: "22:00", to: "06:00" } }',
      expected: [
        'lifeboat.window.days[0] is "Mon": must be one of Sunday, Monday, Tuesday, Wednesday, Thursday, Friday, Saturday',
      ],
    },
    {
      name: 'an unknown time zone',
      section: '{ window: { from: "22:00", to: "06:00", timeZone: Europe/Atlantis } }',
      expected: [`lifeboat.window.timeZone is "Europe/Atlantis": ${mustBeZone}`],
    },
    {
      name: 'an unknown field of a window',
      section: '{ window: { from: "22:00", to: "06:00", timezone: UTC } }',
      expected: ['lifeboat.window.timezone is "UTC": there is no such field; did you mean timeZone?'],
    },
    { name: 'a text', section: 'on', expected: ['lifeboat is true: must be an object'] },
  ])('$name', ({ section, expected }) => expect(problemsIn(policyText(`lifeboat: ${section}`))).toEqual(expected))
})
