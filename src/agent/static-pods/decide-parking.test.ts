import { expect, test } from 'vitest'
import { decideParking, isOfInterest, summarize, type ManifestFile } from './decide-parking.ts'

const a = 'kube-system/a-one'
const file = (name: string, inode: string, pod: string | undefined = a): ManifestFile => ({ name, inode, pod })
const live = (inode = '1') => file('a.yaml', inode)
const parked = (inode = '1') => file('.lifeboat-parked.a.yaml', inode)
const aside = (inode: string) => file(`.lifeboat-superseded.${inode}.a.yaml`, inode)

const park = { kind: 'rename', from: 'a.yaml', to: '.lifeboat-parked.a.yaml' }
const restore = { kind: 'link', from: '.lifeboat-parked.a.yaml', to: 'a.yaml' }
const dropParked = { kind: 'unlink', name: '.lifeboat-parked.a.yaml' }

test.each([
  { name: 'a live one that is not wanted stays', files: [live()], wanted: [], expected: undefined },
  { name: 'a live one that is wanted is parked', files: [live()], wanted: [a], expected: park },
  { name: 'a parked one that is wanted stays', files: [parked()], wanted: [a], expected: undefined },
  { name: 'a parked one that is not wanted is put back', files: [parked()], wanted: [], expected: restore },
  { name: 'died while it was put back: done', files: [live(), parked()], wanted: [], expected: dropParked },
  {
    name: 'wanted again while it was put back: from the beginning',
    files: [live(), parked()],
    wanted: [a],
    expected: dropParked,
  },
  {
    name: 'a new one was written: the old one is set aside',
    files: [live('2'), parked('1')],
    wanted: [a],
    expected: { kind: 'link', from: '.lifeboat-parked.a.yaml', to: '.lifeboat-superseded.1.a.yaml' },
  },
  {
    name: 'died while it was set aside',
    files: [live('2'), parked('1'), aside('1')],
    wanted: [],
    expected: dropParked,
  },
  { name: 'the new one is parked in its turn', files: [live('2'), aside('1')], wanted: [a], expected: park },
  { name: 'what was set aside stays there', files: [aside('1')], wanted: [], expected: undefined },
  { name: 'what is no pod stays', files: [{ ...live(), pod: undefined }], wanted: [a], expected: undefined },
  {
    name: 'what was parked and is no pod any more goes back',
    files: [{ ...parked(), pod: undefined }],
    wanted: [a],
    expected: restore,
  },
  {
    name: 'files of one pod go together, in the order of their names',
    files: [file('b.bak', '2'), parked(), file('a.yaml.bak', '3')],
    wanted: [a],
    expected: { kind: 'rename', from: 'a.yaml.bak', to: '.lifeboat-parked.a.yaml.bak' },
  },
])('$name', ({ files, wanted, expected }) => {
  expect(decideParking(files, new Set(wanted))).toEqual(expected)
})

test.each([
  {
    name: 'a pod with a live file is not parked',
    files: [live('2'), file('.lifeboat-parked.b.yaml', '1')],
    parkedPods: [],
  },
  {
    name: 'a pod is parked with its last file',
    files: [parked(), file('.lifeboat-parked.b.yaml', '2')],
    parkedPods: [a],
  },
  { name: 'what was set aside is not parked', files: [aside('1')], parkedPods: [] },
])('$name', ({ files, parkedPods }) => {
  expect(summarize(files).parked).toEqual(parkedPods)
})

test('tells what was set aside and what is there', () => {
  const { superseded, present } = summarize([aside('1'), file('b.yaml', '2', 'x/b-one')])
  expect(superseded).toEqual([a])
  expect([...present]).toEqual(['x/b-one'])
})

test.each([
  { name: 'a.yaml', expected: true },
  { name: '.lifeboat-parked.a.yaml', expected: true },
  { name: '.lifeboat-superseded.1.a.yaml', expected: true },
  { name: '.a.yaml.swp', expected: false },
])('$name is of interest: $expected', ({ name, expected }) => {
  expect(isOfInterest(name)).toBe(expected)
})
