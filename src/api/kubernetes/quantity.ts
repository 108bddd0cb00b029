const pattern = /^([+-]?[0-9]*\.?[0-9]*)(?:([eE][+-]?[0-9]+)|(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei))?$/

const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** `100m`, `1.5`, `2Gi`, `1e3` in thousandths, rounded up as Kubernetes does. What is no quantity counts as none. */
export function parseMilli(quantity: string | number | undefined): number {
  if (quantity === undefined) return 0
  if (typeof quantity === 'number') return Math.ceil(quantity * 1_000)
  const [, digits = '', exponent = '', suffix = ''] = pattern.exec(quantity) ?? []
  const value = Number(`${digits}${exponent}`) * (factors[suffix] ?? 1) * 1_000
  if (digits === '' || !Number.isFinite(value)) return 0
  // 0.1 + 0.2 must not become one thousandth more than 0.3.
  return Math.ceil(Number(value.toPrecision(15)))
}
