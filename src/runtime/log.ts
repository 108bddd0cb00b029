/** Structured logs: one line per decision, none per loop. pino satisfies this as it is. */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  child(fields: LogFields): Log
}

export type LogFields = Readonly<Record<string, unknown>>

export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
}
