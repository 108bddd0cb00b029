import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aptConfiguration, type Run, unpackPackages } from './debian-packages.ts'

const temporary = () => mkdtempDisposable(join(tmpdir(), 'lifeboat-packages-'))

test('apt writes to the folder alone, and takes nothing for installed', async () => {
  const configuration = aptConfiguration('/scratch', 'arm64')
  expect(configuration).toContain('APT::Architectures { "arm64"; };\n')
  for (const line of [
    'APT::Architecture "arm64";',
    'Dir::State "/scratch/state";',
    'Dir::State::status "/scratch/status";',
    'Dir::Cache "/scratch/cache";',
  ]) {
    expect(configuration.split('\n')).toContain(line)
  }
})

test('every package that apt brings is unpacked into one folder', async () => {
  await using folder = await temporary()
  const calls: string[] = []
  const run: Run = async (program, args, { env } = {}) => {
    calls.push([program, ...args].join(' ').replaceAll(folder.path, ''))
    if (program === 'apt-get') {
      expect(await readFile(env?.['APT_CONFIG'] ?? '', 'utf8')).toBe(aptConfiguration(folder.path, 'arm64'))
      expect(await readFile(join(folder.path, 'status'), 'utf8')).toBe('')
      const archives = join(folder.path, 'cache/archives')
      for (const name of ['libc6_2.36_arm64.deb', 'gcc-12-base_12.2_arm64.deb', 'lock']) {
        if (args[0] === 'install') await writeFile(join(archives, name), '')
      }
    }
  }
  const packages = ['libc6', 'systemd']
  const root = await unpackPackages({ architecture: 'arm64', packages, folder: folder.path, run })
  expect(calls).toEqual([
    'apt-get update --quiet',
    'apt-get install --quiet --yes --download-only libc6 systemd',
    'dpkg-deb --extract /cache/archives/gcc-12-base_12.2_arm64.deb /root',
    'dpkg-deb --extract /cache/archives/libc6_2.36_arm64.deb /root',
  ])
  expect(await readdir(root)).toEqual([])
})

test.each([
  {
    name: 'without apt',
    error: Object.assign(new Error('spawn apt-get ENOENT'), { code: 'ENOENT' }),
    says: 'and apt-get is not on this machine\nBuild it on Debian',
  },
  {
    name: 'without a network',
    error: new Error('E: Failed to fetch\n'),
    says: 'and E: Failed to fetch\nBuild it on Debian',
  },
])('a machine $name is told what there is instead', async ({ error, says }) => {
  await using folder = await temporary()
  await mkdir(join(folder.path, 'below'))
  const run: Run = () => Promise.reject(error)
  const options = { architecture: 'arm64', packages: ['libc6'], folder: join(folder.path, 'below'), run } as const
  const unpacking = unpackPackages(options)
  await expect(unpacking).rejects.toThrow(says)
  await expect(unpacking).rejects.toThrow('docker buildx build --platform linux/arm64')
  await expect(unpacking).rejects.toThrow('make image ARCH=own')
})
