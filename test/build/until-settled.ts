/** Lets time pass, step by step, until the promise is settled. */
export async function untilSettled<T>(promise: Promise<T>, step: () => Promise<void>): Promise<T> {
  const state = { isSettled: false }
  const note = () => {
    state.isSettled = true
  }
  promise.then(note, note)
  while (!state.isSettled) await step()
  return promise
}
