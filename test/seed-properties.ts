import fc from 'fast-check'

// On a machine of continuous integration a red run must be about the change that it tests, so every run draws the same
// cases there. Everywhere else each run draws its own, and prints the seed of what fails.
if (process.env['CI'] === 'true') fc.configureGlobal({ seed: 20_260_101 })
