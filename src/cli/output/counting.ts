/** `1 pod`, `2 pods`. */
export function counting(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
