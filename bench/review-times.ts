/** The share of the reviews at a webhook that took no longer, from what Lifeboat's metrics say. */
export async function reviewsWithin(url: string, webhook: string, milliseconds: number): Promise<number> {
  return shareWithin(await (await fetch(`${url}/metrics`)).text(), webhook, milliseconds)
}

export function shareWithin(metrics: string, webhook: string, milliseconds: number): number {
  const within = bucketOf(metrics, webhook, String(milliseconds / 1_000))
  const all = bucketOf(metrics, webhook, '+Inf')
  return within / all
}

function bucketOf(metrics: string, webhook: string, le: string): number {
  const prefix = 'admission_review_duration_seconds_bucket'
  const line = metrics
    .split('\n')
    .find((text) => text.startsWith(prefix) && text.includes(`le="${le}"`) && text.includes(`webhook="${webhook}"`))
  if (line === undefined) throw new Error(`the metrics have no ${prefix} of webhook ${webhook} with le="${le}"`)
  return Number(line.slice(line.lastIndexOf(' ') + 1))
}
