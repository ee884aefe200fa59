import type { Environment } from '@florin/server/data-directory.ts'

/** What a command may touch of the world outside. */
export interface CommandContext {
  readonly args: readonly string[]
  readonly environment: Environment
  /** What is wrong with where it came from, for commands that tell of settings in their own way. */
  readonly remarks?: readonly string[]
  /** Answers, to standard output. */
  print(text: string): void
  /** Progress and remarks, to standard error. */
  note(text: string): void
  /** Whether standard error is a terminal: only there may a line be drawn again. */
  readonly terminal?: boolean
  /** Aborts at Ctrl-C, which from the first call on no longer ends the process by itself. */
  interrupted?(): AbortSignal
}

/** Runs one command and gives its exit code. Throws UsageError or CommandFailed for the expected ways to fail. */
export type Run = (context: CommandContext) => Promise<number>

export interface Command {
  readonly name: string
  /** Arguments and flags, as the help shows them. */
  readonly usage: string
  readonly summary: string
  /** Set where main does not tell of settings that nobody knows: the command reads none, or tells of them in its own way. */
  readonly settings?: 'none' | 'told by itself'
  /** Loaded when needed: most commands must answer at once and `up` needs half the repository. */
  load(): Promise<Run>
}
