/** What `/version` says. Clients compare the number with what they need; the part after the plus sign does not count. */
export const serverVersion: object = {
  major: '1',
  minor: '37',
  gitVersion: 'v1.37.1+lifeboat',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'embedded',
}
